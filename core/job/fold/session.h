// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/result.h"
#include "core/job/fold/drill_view.h"
#include "core/job/fold/evaluation_view.h"
#include "core/job/fold/gpu_view.h"
#include "core/job/fold/run_about.h"

namespace lockstep::launch {
class AskServer;
}

namespace lockstep::job {

enum class RunState : std::uint8_t {
    Launching,
    Training,
    Validating,
    Testing,
    Stopping,
    Restarting,
    Completed,
    Failed,
    Stopped,
};

enum class Role : std::uint8_t { Worker, Evaluator, Agent };

/// What a replica is doing now; the first five are the phases of a step.
enum class Phase : std::uint8_t {
    Data,
    Forward,
    Backward,
    AllReduce,
    Update,
    Starting,
    Checkpoint,
    Evaluate,
    Waiting,
    Done,
    Program,  ///< In a user's own program, which says no more.
};
inline constexpr std::size_t kStepPhases = 5;

enum class Liveness : std::uint8_t { Waiting, Alive, Late, Lost, Left };

/// One replica (or the evaluator) as it is known now.
struct ReplicaView {
    int processId = 0;
    int replica = 0;  ///< Index in the whole job; -1 for the evaluator.
    Role role = Role::Worker;
    std::string host;
    std::string address;
    std::int64_t pid = 0;
    std::string device;             ///< "gpu:3": its number among the GPUs of its host.
    std::string deviceName;         ///< "NVIDIA H200"; as the next two empty where it is not known.
    std::string deviceUuid;         ///< Of a GPU.
    std::uint64_t deviceBytes = 0;  ///< A GPU's own memory, a CPU's machine's.
    Liveness liveness = Liveness::Waiting;
    bool isAccused = false;  ///< The verdict that stands names it: it is stuck, or slow.
    std::string state;  ///< In words: "training", "waiting at all-reduce 3.2 s", "lost: killed by
                        ///< signal 9".
    Phase phase = Phase::Starting;
    double heartbeatAgeSeconds = -1;  ///< -1: none yet.
    std::int64_t step = 0;
    float loss = 0;  ///< Of its newest step; NaN before the first.
    float accuracy = 0;
    float stepMilliseconds = 0;
    std::array<float, kStepPhases> phaseMicroseconds{};  ///< Of its newest step.
    std::uint64_t residentBytes = 0;
    float cpuPercent = 0;
    std::uint64_t droppedSamples = 0;
    std::optional<GpuView> gpu;  ///< Absent on the CPU, and before its first figures.
};

struct EpochView {
    int epoch = 0;
    std::int64_t step = 0;
    double trainLoss = 0;
    double trainAccuracy = 0;
    std::optional<double> validationLoss;
    std::optional<double> validationAccuracy;
    std::vector<FigureView> trainFigures;
    std::vector<FigureView> validationFigures;
    double seconds = 0;
    double sharedTime = 0;  ///< When it was told, by the coordinator's clock as CheckpointView's.
};

struct CheckpointView {
    std::int64_t step = 0;
    int epoch = 0;
    std::string path;
    std::uint64_t bytes = 0;
    double stallSeconds = 0;
    double commitSeconds = 0;
    double wallTime = 0;
    std::string error;
    bool deleted = false;  ///< Its files are gone: retention took them, or somebody.
    bool kept = false;     ///< By a user's word: retention spares it.
    /// The same as wallTime, by the coordinator's clock, as far as it was measured.
    double sharedTime = 0;
};

/// What the user should know though the run goes on.
struct NoticeView {
    int processId = 0;
    Role role = Role::Worker;
    std::string sentence;
    double wallTime = 0;
};

struct FailureView {
    int processId = 0;
    Role role = Role::Worker;
    std::string host;
    std::string cause;
    std::int64_t step = 0;
    double detectedAfterSeconds = 0;
    double wallTime = 0;
};

/// Somebody was silent, was stuck, or made the others wait, and was named. Who was lost is told by
/// its failure.
struct VerdictView {
    std::int64_t step = 0;  ///< Completed by all when it was named first.
    int severity = 0;       ///< As RunView::verdictSeverity.
    std::vector<int> processes;
    std::string sentence;
    double wallTime = 0;
};

/// A start of the run: the first one, one after a failure, or a resume.
struct StartView {
    double wallTime = 0;
    std::int64_t firstStep = 0;  ///< Done before it; known once it trains.
    int replicas = 0;            ///< 0: not known yet.
};

/// Everything small that is known of a run, as one immutable value. A new one is published at
/// most 30 times a second; `revision` grows with each.
struct RunView {
    std::uint64_t revision = 0;
    double momentWallTime = 0;  ///< It shows the run as it was then (timeline/); 0: as it is now.
    std::string runId;
    std::string name;
    std::filesystem::path runDir;
    std::string jobToml;
    RunState state = RunState::Launching;
    std::string sentence;     ///< The state, or the verdict when progress stopped, in words.
    int verdictSeverity = 0;  ///< 0 fine, 1 silent, 2 stuck, 3 lost, 4 slow.
    /// What is done about a run that is stuck, and when; wallTime 0: nothing is.
    struct StuckEnd {
        double wallTime = 0;  ///< Seconds since 1970, of the coordinator's host.
        bool restarts = false;
    } stuckEnd{};
    bool connected = false;  ///< The coordinator answers.
    bool caughtUp = false;   ///< History is replayed; what comes now is live.
    bool isOver = false;     ///< It is read from the folder of a run that nobody serves.
    std::string connectionSentence;
    std::string agentsWords;    ///< That the run's agent is stopped, and how it goes on, if so.
    std::string queueSentence;  ///< While a scheduler has not started it; empty otherwise.
    int generation = 0;
    std::int64_t step = 0;  ///< Completed by all replicas.
    std::int64_t totalSteps = 0;
    std::int64_t firstStep = 0;  ///< Done before this start.
    std::int64_t stepsPerEpoch = 0;
    int epochs = 0;
    int globalBatchSize = 0;
    int replicaCount = 0;
    int replicasAlive = 0;
    std::string backend;
    std::string device;
    double samplesPerSecond = 0;  ///< Over the last two seconds.
    double etaSeconds = -1;       ///< -1: unknown.
    double startedWallTime = 0;
    double endedWallTime = 0;  ///< 0 while running.
    double ranSeconds = 0;     ///< In all its starts, without the pauses between; once it ended.
    std::vector<StartView> starts;
    std::vector<std::string> classNames;
    int imageWidth = 0;
    int imageHeight = 0;
    std::vector<ReplicaView> replicas;  ///< In order of replica, the evaluator last.
    std::vector<EpochView> epochResults;
    std::vector<CheckpointView> checkpoints;
    std::vector<std::shared_ptr<const EvaluationView>> evaluations;  ///< In order of arrival.
    std::vector<FailureView> failures;
    std::size_t formerFailures = 0;     ///< How many of them belong to former starts.
    std::string missing;                ///< What of its records is lost or damaged; empty: nothing.
    std::vector<NoticeView> notices;    ///< Of all starts, in order of arrival.
    std::vector<DrillView> drills;      ///< Likewise; those that were refused, too.
    std::vector<VerdictView> verdicts;  ///< Likewise; at most two hundred.
    std::size_t verdictsLeftOut = 0;    ///< For which there was no room.
    std::string summaryJson;            ///< Once the run has ended.
    /// 1-based, of the newest step; 0 where the run has no epochs.
    [[nodiscard]] int epoch() const {
        if (stepsPerEpoch <= 0) return 0;
        return static_cast<int>((step > 0 ? step - 1 : 0) / stepsPerEpoch) + 1;
    }
    int exitStatus = -1;  ///< 0 done, 1 failed, 2 bad input, 3 stopped; -1 while running.
    std::string error;    ///< Why it failed, one sentence; empty when it did not.
    std::string remedy;   ///< What to do about it, up to four lines.
};

/// Consecutive steps of one replica, one entry a step in each column.
struct StepColumns {
    int replica = 0;
    int start = 0;  ///< Of RunView::starts, the one that they were said in; -1: before any.
    std::int64_t firstStep = 1;
    double firstEndWallTime = 0;
    /// When a step ended by the coordinator's clock, as far as the difference of the clocks was
    /// known: the ends of those behind it follow from what each took.
    struct MeasuredEnd {
        std::size_t index = 0;  ///< Of the step among these.
        std::int64_t nanoseconds = 0;
    };
    std::vector<MeasuredEnd> measuredEnds;  ///< In their order.
    std::vector<float> loss;
    std::vector<float> accuracy;
    std::vector<float> stepMicroseconds;
    std::array<std::vector<float>, kStepPhases> phaseMicroseconds;
    std::vector<std::int64_t> withoutSamples;  ///< Steps whose loss and accuracy say nothing.
};

/// Values of one named figure in order of arrival, an entry a value in each column.
struct ScalarColumns {
    std::string name;  ///< As in TensorBoard: "train/f1".
    std::string unit;  ///< Empty: none.
    int replica = 0;   ///< -1: of the whole job.
    int start = 0;     ///< As in StepColumns.
    std::vector<std::int64_t>
        steps;  ///< A step at or before an earlier one replaces what followed.
    std::vector<double> wallTimes;
    std::vector<double> values;
};

struct HeartbeatMark {
    int processId = 0;
    Role role = Role::Worker;
    double wallTime = 0;
    std::int64_t step = 0;
    Phase phase = Phase::Starting;
};

/// What a process used, as each says about once a second.
struct LoadMark {
    struct Gpu {
        std::string uuid;  ///< Empty: it does not tell.
        float computePercent = 0;
    };
    int processId = 0;
    Role role = Role::Worker;
    std::string host;
    double sharedTime = 0;  ///< By the coordinator's clock, as far as it was measured.
    float cpuPercent = 0;   ///< Of one core.
    std::uint64_t residentBytes = 0;
    std::vector<Gpu> gpus;  ///< That it computes on.
};

struct LogEntry {
    double wallTime = 0;
    int processId = 0;
    Role role = Role::Worker;
    int level = 1;  ///< 0 debug, 1 info, 2 warning, 3 error.
    std::string text;
    bool unfinished = false;  ///< As far as it has come: the process's next line takes its place.
    std::int64_t journalOffset = -1;  ///< Of its frame; -1: it is not of the journal.
};

/// A running, attached or finished run as the window and the terminal see it. All calls return at
/// once and may come from any one thread; the session's own thread talks to the coordinator and
/// reads the disk. The `take…` calls hand over what has arrived since the last one; a caller that
/// does not take slows only its own replay, nothing is dropped.
class Session {
public:
    virtual ~Session() = default;

    /// Never null. The same pointer until something changed.
    [[nodiscard]] virtual std::shared_ptr<const RunView> view() const = 0;
    [[nodiscard]] virtual std::vector<StepColumns> takeSteps() = 0;
    [[nodiscard]] virtual std::vector<ScalarColumns> takeScalars() = 0;
    [[nodiscard]] virtual std::vector<HeartbeatMark> takeHeartbeats() = 0;
    [[nodiscard]] virtual std::vector<LoadMark> takeLoads() = 0;
    [[nodiscard]] virtual std::vector<LogEntry> takeLogs() = 0;
    /// All log lines, read on demand from the run's files; it outlives the session. Once it was
    /// asked for, takeLogs() hands over nothing. Never null.
    [[nodiscard]] virtual std::shared_ptr<const class LogBook> logBook() = 0;
    /// For whoever shows no curves: takes what only they need, so that the replay goes on.
    void discardSamples() {
        std::ignore = takeSteps();
        std::ignore = takeScalars();
        std::ignore = takeHeartbeats();
        std::ignore = takeLoads();
    }

    /// Ends after the step in flight, with a checkpoint. Returns at once.
    virtual void requestStop() = 0;
    /// Ends the processes now. Returns at once.
    virtual void kill() = 0;
    /// Gives a run that is stuck another grace time (RunView::stuckEnd). Returns at once.
    virtual void waitLonger() = 0;
    /// Makes a fault on purpose (RunView::drills). Returns at once.
    virtual void drill(const DrillOrder& order) = 0;
};

/// How hosts that ask something (an unknown key, a passphrase) reach the user.
struct ConnectOptions {
    std::shared_ptr<launch::AskServer> asker{};  ///< Null: nobody answers, and that is said.
    std::vector<std::string> agreed{};  ///< attach: the effects that the user was shown (trust.h).
    /// attach: logs in nowhere. Of a run on another host, or in a queue, what lies here is shown.
    bool staysHere = false;
};

struct LaunchOptions : ConnectOptions {
    std::filesystem::path workerProgram;  ///< Empty: lockstep-worker beside this program.
    bool tied = false;  ///< End the job when this process ends or lets the session go.
    bool resume = false;
    /// With `resume`: the run's folder is gone on in, but from step 0, and what it holds of a run
    /// is put aside within it.
    bool fromScratch = false;
    std::filesystem::path runsFolder{};  ///< Empty: as runsFolderFor() of runs_folder.h finds.
};

/// A key of a job file, and its value as TOML.
struct RunSetting {
    std::string key;
    std::string value;
    bool operator==(const RunSetting&) const = default;
};

/// A run folder in a list of runs.
struct RunEntry {
    std::filesystem::path runDir;
    std::string runId;
    std::string name;
    bool running = false;
    /// completed | failed | stopped | running | interrupted | unknown: its summary is unreadable.
    std::string status;
    double startedWallTime = 0;
    std::optional<double> testAccuracy;
    std::optional<Score> testScore{};  ///< Its accuracy, too, where there is one.
    std::string missing{};  ///< What of its records was lost while it was written; empty: nothing.
    /// Once it has ended: all of its starts, or the newest where one left no summary; 0: not known.
    double tookSeconds = 0;
    std::optional<Score> validationScore{};  ///< The best after an epoch.
    std::vector<double> validationCurve{};   ///< The same figure, of up to 32 epochs in order.
    std::vector<RunSetting> settings{};      ///< All of its job that have a value, in file order.
    int drills = 0;              ///< Faults made on purpose in its newest start, once it ended.
    RunAbout about{};            ///< What the user says of it.
    std::string aboutProblem{};  ///< Why that cannot be read, a sentence; empty: it can.
    bool operator==(const RunEntry&) const = default;
};

/// Starts the job of `jobToml` (text, already overridden) in the background and follows it. Bad
/// input (also data refused before the first step) reaches the view as state Failed. Relative
/// paths in the job are relative to `jobFolder`. Fails at once only with BadInput for a job that
/// does not lint.
[[nodiscard]] Result<std::unique_ptr<Session>> launch(const std::string& jobToml,
                                                      const std::filesystem::path& jobFolder,
                                                      const LaunchOptions& options);

/// Follows the run of a folder: live when it runs, here or on another host, from its journal when
/// it has ended. NotFound when the folder holds no run. BadInput when it is to be followed by a
/// login on a host that this user has neither launched it on nor agreed to.
[[nodiscard]] Result<std::unique_ptr<Session>> attach(const std::filesystem::path& runDir,
                                                      const ConnectOptions& options = {});

/// The runs below a folder, the newest first; empty: all runs of this user that are known, that is
/// those below knownRunsFolders() of runs_folder.h and those that run on this machine. Reads the
/// disk: not for the UI thread.
[[nodiscard]] std::vector<RunEntry> listRuns(const std::filesystem::path& runsFolder);

/// Whether some program trains in the folder now, or follows a run of another host in it.
[[nodiscard]] bool isRunning(const std::filesystem::path& runDir);
/// Whether it may go on where nobody here sees it: on another host, or in a queue.
[[nodiscard]] bool mayGoOnUnseen(const std::filesystem::path& runDir);

/// How the records of a run are.
struct RecordsCheck {
    std::string missing;    ///< What of them is lost or damaged, in words; empty: nothing is known.
    bool examined = false;  ///< The journal was read; else the run's own summary is all there is.
};

/// Of each run in a list. The journal of an ended run is read, all of it, where that fits into
/// `mostBytes` together with those before it: hundreds of long runs are gigabytes.
[[nodiscard]] std::vector<RecordsCheck> checkRecords(const std::vector<RunEntry>& runs,
                                                     std::uint64_t mostBytes);

}  // namespace lockstep::job
