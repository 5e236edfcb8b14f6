// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/job/fold/arrivals.h"
#include "core/job/fold/journal_clock.h"
#include "core/job/fold/picture_shelf.h"
#include "core/job/fold/rate_window.h"
#include "core/job/fold/replica_table.h"
#include "core/job/fold/scalar_collector.h"
#include "core/job/fold/session.h"
#include "core/job/fold/step_collector.h"
#include "core/telemetry/lost_steps.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::job {

/// What is known of the connection to a run; for a run read from its folder, of the reading.
struct LinkFacts {
    bool connected = false;
    bool caughtUp = false;
    std::string sentence;
    std::string queue{};  ///< While a scheduler has not started the run: how it stands, in words.
    bool isOver = false;  ///< What comes is read from the folder of a run that nobody serves.
    std::string agentsWords{};  ///< That the run's agent is stopped, and how it goes on, if so.
    bool operator==(const LinkFacts&) const = default;
};

/// How a run ended, when something other than its journal says so (a launch that failed).
struct Ending {
    int exitStatus = 1;  ///< As RunView::exitStatus.
    std::string error;
    std::string remedy;
};

/// Folds the records of a run's journal into what people see of it. Pure: no clock, no thread,
/// no disk; time comes in as seconds since 1970. While history is replayed each record is judged as
/// of its own time, so that what is known behind a record depends on the records before it alone.
/// Used by one thread.
class RunFold {
public:
    explicit RunFold(std::filesystem::path runDir);

    /// Records in the journal's order. Records that make no sense are ignored. `journalOffset`: of
    /// the record's frame, -1: not known.
    void apply(const wire::Record& record, std::int64_t journalOffset = -1);
    /// Judges heartbeats and rate at `nowWall`; at least once before `view`, and as often as the
    /// view is wanted. While live, what is applied until the next tick counts as heard at
    /// `nowWall`.
    void tick(double nowWall);

    void setLink(const LinkFacts& link);
    /// The run is over, whatever its journal says.
    void setEnding(const Ending& ending);
    /// The journal ends here and nobody writes it any more: without a RunEnd, what the summary
    /// beside it says (empty: there is none) was the end, else the run was cut off. `problem`: why
    /// the summary cannot be read, which then is all that is known.
    void endOfJournal(const std::string& summaryJson = {}, const std::string& problem = {});
    /// Something of the run that cannot be seen, in words.
    void addMissing(const std::string& sentence);
    /// The names of what is below checkpoints/ now.
    void setStoredCheckpoints(const std::set<std::string>& names);
    /// Something to be read among the log lines.
    void addLog(const LogEntry& entry) { arrivals_.logs.push_back(entry); }

    /// Never null; the same pointer until something changed.
    [[nodiscard]] std::shared_ptr<const RunView> view();
    [[nodiscard]] Arrivals takeArrivals();
    /// Entries of all kinds that takeArrivals would give now, by weightOf() where they have one.
    [[nodiscard]] std::size_t arrivalCount() const;
    /// Seconds since 1970 of the newest record, by the coordinator's clock; 0 before the first.
    [[nodiscard]] double newestWallTime() const { return newestWallTime_; }
    [[nodiscard]] bool ended() const { return now_.endedWallTime > 0; }

private:
    void applyInfo(const wire::RunInfo& info, double wallTime);
    void beginStart(double wallTime, bool isResume);
    void assumeTraining(double saidAt, double patience);
    void forgetEnding();
    void applyState(const wire::RunStateChange& change, double wallTime);
    void applySteps(const wire::StepBatch& batch);
    void applyScalars(const wire::ScalarBatch& batch, double wallTime);
    void applyHeartbeat(const wire::Heartbeat& heartbeat, double wallTime, double sharedTime);
    void applyFigures(const wire::ProcessFigures& figures, double sharedTime);
    void applyEpoch(const wire::EpochResult& epoch, double sharedTime);
    void applyEvaluation(const wire::Evaluation& evaluation, double wallTime);
    void applyCheckpoint(const wire::CheckpointEvent& event, double wallTime, double sharedTime);
    void applyCopy(const wire::CheckpointCopy& copy, double wallTime);
    void applyFailure(const wire::Failure& failure, double wallTime);
    void applyVerdict(const wire::Verdict& verdict, double wallTime);
    void keepVerdict(VerdictView verdict);
    void applyDrill(const wire::Drill& drill, double wallTime);
    void applyEnd(const wire::RunEnd& end, double wallTime);
    void finish(RunState state, int exitStatus, double wallTime);
    /// What arrives now was said in it; -1: before any.
    [[nodiscard]] int newestStart() const { return static_cast<int>(now_.starts.size()) - 1; }
    [[nodiscard]] bool isLive() const { return now_.connected && now_.caughtUp; }
    void judge(double nowWall);
    void addLosses(RunView& view) const;
    void updateProgress();
    void updateSentence();

    RunView now_;  // all but what the table and the rate know
    std::shared_ptr<const RunView> published_;
    bool changed_ = true;

    JournalClock clock_;
    telemetry::LostSteps lostSteps_;
    bool ownProgram_ = false;
    ReplicaTable replicas_;
    RateWindow rate_;
    StepCollector steps_;
    ScalarCollector scalars_;
    PictureShelf pictures_;
    bool saidNameless_ = false;
    Arrivals arrivals_;           // without the steps and scalars
    std::size_t loadWeight_ = 0;  // of those in it
    std::string stateSentence_;
    std::string verdict_;
    std::string verdictHold_;  // of the silent that it names
    std::vector<int> verdictProcesses_;
    double nowWall_ = 0;
    double newestWallTime_ = 0;
    double previousWallTime_ = 0;  // of the newest record but the present one
    double launchedWallTime_ = 0;  // the first one, or the newest resume
    double formerSeconds_ = 0;     // that the run took before that
    double startWallTime_ = 0;     // of the first step of this start, for the average rate
    std::int64_t startStep_ = 0;
    double newestStepWallTime_ = 0;
};

}  // namespace lockstep::job
