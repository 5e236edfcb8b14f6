// SPDX-License-Identifier: Apache-2.0
#include "core/launch/program/user_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "core/base/exit_status.h"
#include "core/base/host_address.h"
#include "core/base/ids.h"
#include "core/base/mutex.h"
#include "core/base/stack_teller.h"
#include "core/base/termination_watch.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/config/job/cluster_spec.h"
#include "core/coordination/client/client.h"
#include "core/launch/program/group_guard.h"
#include "core/launch/program/program_addresses.h"
#include "core/launch/program/program_environment.h"
#include "core/launch/program/program_files.h"
#include "core/launch/program/program_stacks.h"
#include "core/launch/program/program_start.h"
#include "core/launch/program/program_telemetry.h"

namespace lockstep::launch {

namespace {

constexpr Millis kTick{20};
constexpr std::chrono::seconds kStopGrace{15};  ///< From SIGTERM on; the agent's own is longer.
constexpr std::chrono::seconds kAbortGrace{3};  ///< The job has failed: little is left to save.
constexpr std::chrono::seconds kLeaveTimeout{30};
constexpr std::chrono::seconds kReportTimeout{3};
constexpr std::chrono::seconds kLastRecordsTimeout{2};
constexpr std::chrono::seconds kOthersSlice{60};
/// Who signals all processes of a host does so to one after the other.
constexpr Millis kSignalsApart{300};
constexpr std::chrono::seconds kFilesPatience{5};  ///< With a disk; they give up sooner themselves.
constexpr std::chrono::seconds kAbortedFilesPatience{1};  ///< The job waits for this process alone.
/// The coordinator, whose sentence names the missing, waits a little less.
constexpr std::chrono::seconds kCoordinatorSpeaksFirst{5};

std::string doneKey(std::uint32_t processId) {
    return fmt::format("program/done/{}", processId);
}

bool hasFailed(const ExitStatus& program) {
    return program.signalled || program.code != 0;
}

/// Through which the figures of files come, from a thread that may hang with a disk: closed, they
/// find nobody.
struct FigureGate {
    Mutex mutex;
    bool closed LS_GUARDED_BY(mutex) = false;
};

class UserProgram {
public:
    UserProgram(const wire::WorkerConfig& config, config::JobSpec job,
                TerminationWatch& termination)
        : config_(config),
          job_(std::move(job)),
          termination_(termination),
          telemetry_(config_, job_),
          stacks_([pid = programPid_, folder = config_.report_folder()](
                      const std::string& whose, const StackTeller::Say& say) {
              if (const pid_t program = pid->load(); program > 0)
                  tellProgramStacks(program, folder, whose, say);
          }) {}
    ~UserProgram() { termination_.whenAsked({}); }
    UserProgram(const UserProgram&) = delete;
    UserProgram& operator=(const UserProgram&) = delete;

    Result<void> join(const std::string& buildId);
    Result<ExitStatus> run();
    void report(const Error& error);

private:
    [[nodiscard]] bool isChief() const { return config_.process_id() == 0; }
    [[nodiscard]] coordination::ClientCallbacks callbacks();
    [[nodiscard]] config::Address ownAddress() const;
    [[nodiscard]] Result<void> start();
    [[nodiscard]] ProgramPlace placeAmong(const ProgramAddresses& all) const;
    void followFiles(const std::filesystem::path& folder, const std::vector<std::string>& hosts);
    void readLastFiles();
    [[nodiscard]] ExitStatus supervise();
    void heedOrders(Nanos now);
    void signalProgram(int signal) const;
    /// The job stops, or will: this process has been told to end.
    [[nodiscard]] bool isToStop() const { return stopRequested_.load() || termination_.isAsked(); }
    [[nodiscard]] bool isStoppedWith(const ExitStatus& program) const;
    [[nodiscard]] Result<ExitStatus> conclude(const ExitStatus& status);
    [[nodiscard]] Result<void> awaitOthers();

    const wire::WorkerConfig& config_;
    const config::JobSpec job_;
    TerminationWatch& termination_;
    ProgramTelemetry telemetry_;
    std::string endpoint_;  ///< Of the program's reports; empty: nobody takes them.
    Mutex mutex_;
    std::atomic<bool> stopRequested_{false};
    std::atomic<bool> aborted_{false};
    std::string abortCause_ LS_GUARDED_BY(mutex_);
    const std::shared_ptr<std::atomic<pid_t>> programPid_ = std::make_shared<std::atomic<pid_t>>(0);
    StackTeller stacks_;
    std::optional<wire::Context> context_;
    std::unique_ptr<coordination::Client> client_;  // its thread uses what is above
    std::unique_ptr<GroupGuard> guard_;
    std::unique_ptr<ChildProcess> child_;
    std::optional<Nanos> killAt_;
    std::shared_ptr<FigureGate> gate_ = std::make_shared<FigureGate>();
    std::unique_ptr<ProgramFiles> files_;
};

Result<void> UserProgram::join(const std::string& buildId) {
    context_ = TRY(wire::Context::make());
    coordination::ClientOptions options;
    options.endpoint = "tcp://" + config_.coordinator_address();
    options.serverPublicKey = config_.keys().server_public();
    options.keys = {config_.keys().own_public(), config_.keys().own_secret()};
    options.runId = config_.run_id();
    options.generation = config_.generation();
    options.heartbeatTimeout = toNanos(job_.cluster.heartbeatTimeoutSeconds);
    options.self.set_role(wire::ROLE_WORKER);
    options.self.set_process_id(config_.process_id());
    options.self.set_host(hostName());
    options.self.set_host_group(config_.host_group());
    options.self.set_pid(::getpid());
    options.self.set_replicas(1);  // what the program does on its devices is its own
    options.self.set_address(config::toString(ownAddress()));
    options.self.set_build(buildId);
    client_ = TRY(coordination::Client::connect(*context_, std::move(options), callbacks()));
    // The stop comes back as all processes' own, whose programs hear of it then.
    termination_.whenAsked([this] {
        if (!stopRequested_.load() && !aborted_.load()) client_->requestStop();
    });
    std::ignore = TRY(client_->join(toNanos(job_.cluster.initializationTimeoutSeconds) +
                                    kCoordinatorSpeaksFirst));
    return {};
}

coordination::ClientCallbacks UserProgram::callbacks() {
    return {
        .fillHeartbeat =
            [this](wire::Heartbeat& heartbeat) {
                *heartbeat.add_replicas() = telemetry_.progress();
            },
        .onAbort =
            [this](const std::string& cause, int) {
                std::fprintf(stderr, "warning: the job ends: %s\n", cause.c_str());
                const Lock lock(mutex_);
                abortCause_ = cause;
                aborted_.store(true);
            },
        .onStop = [this](const std::string&) { stopRequested_.store(true); },
        .onTellStacks =
            [this](const wire::TellStacks& ask) {
                std::ignore =  // the log that is being written is of the same trouble
                    stacks_.tell(fmt::format("process {}", config_.process_id()), ask.seconds());
            },
    };
}

/// The host as the agent says that the others reach it; the port that the job file gives.
config::Address UserProgram::ownAddress() const {
    const auto& given = job_.cluster.jobAddresses;
    const std::size_t id = config_.process_id();
    config::Address own = id < given.size() ? given[id] : config::Address{"127.0.0.1", 0};
    if (auto told = config::parseAddress(config_.address())) own.host = told->host;
    return own;
}

ProgramPlace UserProgram::placeAmong(const ProgramAddresses& all) const {
    ProgramPlace place;
    place.processId = config_.process_id();
    place.addresses = all.addresses;
    place.hosts = all.hosts;
    place.restarts = std::max(config_.restarts(), config_.generation());
    place.runId = config_.run_id();
    place.runDir = config_.run_dir();
    place.reportEndpoint = endpoint_;
    place.pythonFolder = pythonModuleFolder();
    if (auto numeric = addressOfHost(all.addresses[place.processId].host))
        place.networkInterface = interfaceOf(*numeric);
    place.gpus = gpusOfThisHost();
    return place;
}

Result<void> UserProgram::start() {
    endpoint_ = telemetry_.listen();
    const auto all =
        TRY(exchangeAddresses(*client_, config_.process_id(), job_.cluster.numProcesses,
                              ownAddress(), toNanos(job_.cluster.initializationTimeoutSeconds)));
    ChildOptions options;
    options.environment = programEnvironment(Environment::ofThisProcess(), job_, placeAmong(all));
    std::filesystem::path folder = config_.job_dir();
    if (!job_.launch.directory.empty()) folder /= job_.launch.directory;
    options.folder = programFolder(folder);
    const auto program =
        TRY(findProgram(job_.launch.command.front(), options.environment, options.folder));
    options.program = program;
    options.arguments.assign(job_.launch.command.begin() + 1, job_.launch.command.end());
    options.captureOutput = false;  // it writes where this process does, which its agent reads
    options.ownGroup = false;
    if (options.folder != folder)
        std::fprintf(stderr, "note: there is no folder %s on this host\n", folder.c_str());
    std::fprintf(stderr, "note: starting %s in %s\n", options.program.c_str(),
                 options.folder.c_str());
    guard_ = TRY(GroupGuard::start());
    followFiles(options.folder, all.hosts);
    child_ = TRY(ChildProcess::start(options));
    child_->closeInput();
    programPid_->store(child_->pid());
    telemetry_.begin(*client_, child_->pid());
    return {};
}

Result<ExitStatus> UserProgram::run() {
    TRY(start());
    const ExitStatus status = supervise();
    // Those that it leaves behind fail at once, and may end before this process does.
    if (hasFailed(status) && !aborted_.load() && !isToStop())
        client_->reportProgramEnd(status.signalled, status.code);
    readLastFiles();
    telemetry_.pollLast();
    return conclude(status);
}

/// Before the program begins: what is there then is not its own.
void UserProgram::followFiles(const std::filesystem::path& folder,
                              const std::vector<std::string>& hosts) {
    const std::uint32_t id = config_.process_id();
    const auto firstOfHost = std::find(hosts.begin(), hosts.end(), hosts[id]) - hosts.begin();
    files_ = std::make_unique<ProgramFiles>(
        ProgramFiles::Options{.folder = folder,
                              .runDir = config_.run_dir(),
                              .supervisor = ::getpid(),
                              .processId = id,
                              .firstOnHost = firstOfHost == id},
        [this, gate = gate_](const FileFigure& figure) {
            using Added = telemetry::ScalarRecorder::Added;
            const Lock lock(gate->mutex);
            return gate->closed ||
                   telemetry_.reportScalar(figure.name, figure.step, figure.wallTime,
                                           figure.value) != Added::Full;
        });
}

/// What they tell goes on its way meanwhile. A disk that hangs keeps neither the job nor its end
/// waiting: the thread that waits for it is left to itself, and ends with this process.
void UserProgram::readLastFiles() {
    files_->finish();
    const Nanos ended = SteadyClock::read();
    for (; !files_->isFinished(); std::this_thread::sleep_for(kTick)) {
        telemetry_.poll();
        const Nanos patience = aborted_.load() ? Nanos(kAbortedFilesPatience) : kFilesPatience;
        if (SteadyClock::read() - ended < patience) continue;
        std::fprintf(stderr,
                     "warning: there was no time to read all that the program has written into "
                     "event files and CSV logs: its last figures are not shown\n");
        const Lock lock(gate_->mutex);
        gate_->closed = true;
        std::ignore = files_.release();
        return;
    }
    files_.reset();
}

ExitStatus UserProgram::supervise() {
    for (;;) {
        if (const auto ended = child_->wait(kTick)) return *ended;
        telemetry_.poll();
        heedOrders(SteadyClock::read());
    }
}

void UserProgram::heedOrders(Nanos now) {
    const bool ends = stopRequested_.load() || aborted_.load();
    if (ends && !killAt_) {
        signalProgram(SIGTERM);
        signalProgram(SIGCONT);  // a stopped one takes signals only when it goes on
        killAt_ = now + kStopGrace;
    }
    if (aborted_.load() && killAt_) killAt_ = std::min(*killAt_, now + kAbortGrace);
    if (killAt_ && now >= *killAt_) child_->signalGroup(SIGKILL);
}

/// To all that the program has started, which is in the group that an agent gave this process.
void UserProgram::signalProgram(int signal) const {
    if (::getpgrp() == ::getpid())
        ::kill(0, signal);
    else
        child_->signalGroup(signal);
}

/// A program that ends by a signal may have got it before this process gets its own: that is looked
/// for every tick, since the handler of a signal can wake nobody who waits.
bool UserProgram::isStoppedWith(const ExitStatus& program) const {
    const bool mayFollow = program.signalled && program.code == SIGTERM;
    const Nanos until = SteadyClock::read() + kSignalsApart;
    while (mayFollow && !isToStop() && !aborted_.load() && SteadyClock::read() < until)
        std::this_thread::sleep_for(kTick);
    return isToStop();
}

Result<ExitStatus> UserProgram::conclude(const ExitStatus& status) {
    const bool stopped = isStoppedWith(status);
    if (aborted_.load()) {
        const Lock lock(mutex_);
        return fail(ErrorCode::PeerLost, abortCause_);
    }
    if (stopped && !stopRequested_.load()) client_->requestStop();  // before it leaves, surely
    if (hasFailed(status) && !stopped) {
        std::ignore = client_->flush(kLastRecordsTimeout);  // its agent tells how it ended
        return status;
    }
    telemetry_.finish();
    if (isChief()) {
        TRY(awaitOthers());
    } else if (auto told = client_->set(doneKey(config_.process_id()), "1"); !told) {
        return fail(told.error());
    }
    TRY(client_->leave(stopped ? "stopped" : "completed", isChief() ? telemetry_.summary() : "",
                       kLeaveTimeout));
    return ExitStatus{false, stopped ? kExitStopped : kExitDone};
}

/// The run ends soon after its chief has left, but others may have more to do.
Result<void> UserProgram::awaitOthers() {
    for (std::uint32_t id = 1; id < config_.num_processes(); ++id) {
        for (;;) {
            const auto done = client_->get(doneKey(id), kOthersSlice);
            if (done) break;
            if (done.error().code != ErrorCode::Timeout) return fail(done.error());
        }
    }
    return {};
}

void UserProgram::report(const Error& error) {
    if (child_ != nullptr) std::ignore = child_->terminate(kAbortGrace);
    if (client_ == nullptr) return;
    wire::ReportError report;
    report.set_cause(error.message);
    report.set_remedy(error.remedy);
    report.set_secondary(error.code == ErrorCode::PeerLost || error.code == ErrorCode::Timeout);
    report.set_kind(isBadInput(error.code) ? wire::ERROR_BAD_INPUT : wire::ERROR_JOB_FAILED);
    client_->reportError(report, kReportTimeout);
    std::ignore = client_->flush(kLastRecordsTimeout);
}

}  // namespace

Result<ExitStatus> runUserProgram(const wire::WorkerConfig& config, const std::string& buildId) {
    std::signal(SIGTERM, SIG_IGN);  // as at the end: its agent may send one to all there are
    // The program signals its group, to which this process belongs, and its agent all there are.
    const auto termination = TRY(TerminationWatch::start(TerminationWatch::Heeds::Strangers));
    auto document = TRY(config::JobDocument::parse(config.job_toml(), "job.toml"));
    auto job = TRY(document.checked());
    UserProgram program(config, std::move(job), *termination);
    auto joined = program.join(buildId);
    auto ended = joined ? program.run() : Result<ExitStatus>(fail(joined.error()));
    if (!ended) program.report(ended.error());
    return ended;
}

}  // namespace lockstep::launch
