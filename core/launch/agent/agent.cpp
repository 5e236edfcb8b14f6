// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/agent.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "core/base/exit_status.h"
#include "core/base/ids.h"
#include "core/base/record_clock.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/config/job/cluster_spec.h"
#include "core/coordination/core/process_key.h"
#include "core/launch/agent/other_agents.h"
#include "core/launch/process/child_process.h"
#include "core/launch/run/summary_file.h"

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kOwnEndPatience{1};  ///< For survivors, who have heard the abort.
constexpr std::chrono::seconds kTerminationGrace{5};
constexpr std::chrono::seconds kStopGrace{20};  ///< From SIGTERM to the end by force.
/// Likewise, once the launcher of a tied job has gone: nobody may find anything of it soon after.
constexpr std::chrono::seconds kAbandonedGrace{3};
constexpr Millis kAbandonedPatience{300};
constexpr std::chrono::seconds kJournalPatience{
    10};  ///< With a disk that does not take the journal.
constexpr Millis kTick{50};
/// With a disk that does not take the event files; they are tried for as long again after that.
constexpr Millis kEventsPatience{3000};
/// Where processes live under agents of their own, one that dies with its agent is told by its
/// silence: that takes three heartbeats.
constexpr Millis kGraceOfManyAgents{3500};

std::string statusOf(coordination::OutcomeKind kind) {
    if (kind == coordination::OutcomeKind::Completed) return "completed";
    return kind == coordination::OutcomeKind::Stopped ? "stopped" : "failed";
}

Nanos nanos(double seconds) {
    return std::chrono::duration_cast<Nanos>(Seconds(seconds));
}

}  // namespace

Agent::Agent(wire::AgentConfig config, config::JobSpec job, RunFolder folder)
    : config_(std::move(config)),
      job_(std::move(job)),
      folder_(std::move(folder)),
      registration_({config_.run_id(), folder_.paths().folder.string(), job_.name, true, 0, {}}),
      began_(SteadyClock::read()) {}

Result<std::unique_ptr<Agent>> Agent::start(wire::AgentConfig config) {
    auto document = TRY(config::JobDocument::parse(config.job_toml(), "job.toml"));
    auto job = TRY(document.checked());
    auto folder = TRY(RunFolder::open(config.run_dir(), config.resume(), config.created_folder()));
    auto agent =
        std::unique_ptr<Agent>(new Agent(std::move(config), std::move(job), std::move(folder)));
    auto started = agent->folder_.writeRunId(agent->config_.run_id());
    if (started) started = agent->startCoordinator();
    if (started)
        started = replaceFileDurably(agent->folder_.paths().job(), agent->config_.job_toml());
    if (started) started = agent->writeContact();
    if (started) started = agent->makeSegment();
    if (started) started = agent->offerTicket();
    if (started) started = agent->makeTickets();
    if (started) started = agent->startGeneration();
    if (!started) {
        agent->withdrawTicket();
        agent->processes_.reset();
        agent->coordinator_.reset();
        agent->events_.reset();  // it writes into the folder that is taken back
        std::error_code ignored;
        if (!agent->runtimeFolder_.empty())
            std::filesystem::remove_all(agent->runtimeFolder_, ignored);
        agent->folder_.removeContact();
        agent->folder_.takeBack();
        return fail(started.error());
    }
    return agent;
}

Result<void> Agent::startCoordinator() {
    auto context = TRY(wire::Context::make());
    serverKeys_ = TRY(wire::newKeyPair());
    runtimeFolder_ = TRY(makeRuntimeFolder(config_.run_id()));
    events_ = std::make_unique<EventWriter>(
        folder_.paths().journal(), folder_.paths().events(),
        job_.log.csv ? folder_.paths().epochs() : std::filesystem::path());
    coordinator_ = TRY(coordination::Coordinator::start(context, coordinatorOptions()));
    return {};
}

coordination::CoordinatorOptions Agent::coordinatorOptions() const {
    const config::ClusterSpec& cluster = job_.cluster;
    const config::Address address = cluster.jobAddresses.empty() ? config::Address{"127.0.0.1", 0}
                                                                 : cluster.jobAddresses.front();
    coordination::CoordinatorOptions options;
    options.rules.runId = config_.run_id();
    options.rules.workers = static_cast<std::uint32_t>(cluster.numProcesses);
    options.rules.evaluator = evaluatorIsExpected(config_);
    options.rules.agents = agentsElsewhere(config_, workerCount());
    if (!options.rules.agents.empty()) options.rules.followUpGrace = kGraceOfManyAgents;
    options.rules.seedWord = newIncarnation() >> 1;
    options.rules.initializationTimeout = nanos(cluster.initializationTimeoutSeconds);
    options.rules.heartbeatTimeout = nanos(cluster.heartbeatTimeoutSeconds);
    options.bindHost = config_.bind_host().empty() ? address.host : config_.bind_host();
    // The job's own program listens at process 0's address itself.
    options.port = job_.launch.runsOwnProgram() ? 0 : address.port;
    options.monitorSocket = runtimeFolder_ / "monitor";
    options.journal = folder_.paths().journal();
    options.checkpoints = folder_.paths().checkpoints();
    options.keys = serverKeys_;
    return options;
}

/// Where a monitor of the same user finds this run: the socket and a key that it may use.
Result<void> Agent::writeContact() {
    auto monitor = TRY(wire::newKeyPair());
    TRY(coordinator_->allowMonitor(monitor.publicKey));
    const std::filesystem::path keyFile = runtimeFolder_ / "monitor.key";
    const std::string text =
        fmt::format("{}\n{}\n{}\n", serverKeys_.publicKey, monitor.publicKey, monitor.secretKey);
    TRY(replaceFileDurably(keyFile, text, 0600));
    return folder_.writeContact({config_.run_id(), coordinator_->monitorEndpoint(), keyFile});
}

/// One memory for all replicas of the host, a new one for each generation under the same number:
/// no name, so nothing is left behind by a crash. Before anybody is told of the generation.
Result<void> Agent::makeSegment() {
    const bool shared = config_.process_ids_size() > 1 ||
                        (!config_.ticket_file().empty() && job_.cluster.numProcesses > 1);
    if (!shared || job_.cluster.transport == config::Transport::Gloo) return {};
    if (job_.launch.runsOwnProgram()) return {};
    UniqueFd fresh(::memfd_create("lockstep-replicas", MFD_CLOEXEC));
    if (!fresh.valid()) return fail(ErrorCode::Io, "cannot create shared memory: " + errnoText());
    if (!segment_.valid())
        segment_ = std::move(fresh);
    else if (::dup3(fresh.get(), segment_.get(), O_CLOEXEC) < 0)
        return fail(ErrorCode::Io, "cannot replace shared memory: " + errnoText());
    return {};
}

Result<void> Agent::startGeneration() {
    processes_ = std::make_unique<HostProcesses>(config_.worker_program(), folder_.paths(),
                                                 HostProcesses::Callbacks{
                                                     .onLine =
                                                         [this](const wire::LogLine& line) {
                                                             wire::Record record;
                                                             *record.mutable_log() = line;
                                                             append(std::move(record));
                                                         },
                                                     .onExit =
                                                         [this](const wire::ProcessExit& exit) {
                                                             coordinator_->reportProcessExit(
                                                                 exit, generation_);
                                                             std::ignore = writeProcesses();
                                                         },
                                                 });
    for (const std::uint32_t id : config_.process_ids()) {
        TRY(startProcess(wire::ROLE_WORKER, id, segment_.get()));
    }
    if (config_.start_evaluator()) {
        TRY(startProcess(wire::ROLE_EVALUATOR, 0, -1));
    }
    return writeProcesses();
}

/// processes.json: this agent and all that run below it.
Result<void> Agent::writeProcesses() {
    auto entries = processes_->entries();
    const pid_t self = ::getpid();
    entries.insert(entries.begin(),
                   {"agent", 0, hostName(), self, processStartTime(self).value_or(0)});
    registration_.update(entries);
    return folder_.writeProcesses(entries);
}

Result<void> Agent::startProcess(wire::Role role, std::uint32_t processId, int segment) {
    auto keys = TRY(wire::newKeyPair());
    const std::string user = coordination::userIdOf({role, processId});
    TRY(coordinator_->allowMember(keys.publicKey, user));
    wire::WorkerConfig worker;
    worker.set_run_id(config_.run_id());
    worker.set_run_dir(folder_.paths().folder.string());
    worker.set_job_toml(config_.job_toml());
    worker.set_job_dir(config_.job_dir());
    worker.set_role(role);
    worker.set_process_id(processId);
    worker.set_num_processes(static_cast<std::uint32_t>(job_.cluster.numProcesses));
    worker.set_generation(generation_);
    // Listening everywhere, it is reached here, too.
    worker.set_coordinator_address(
        config_.bind_host() == "*"
            ? fmt::format("127.0.0.1:{}", coordinator_->port())
            : coordinator_->memberEndpoint().substr(std::string("tcp://").size()));
    worker.mutable_keys()->set_server_public(serverKeys_.publicKey);
    worker.mutable_keys()->set_own_public(keys.publicKey);
    worker.mutable_keys()->set_own_secret(keys.secretKey);
    worker.set_host_group(hostGroup_);
    worker.set_segment_fd(segment);
    worker.set_resume(config_.resume());
    if (processId == 0) worker.set_former_job_toml(folder_.former().job());
    worker.set_own_program(job_.launch.runsOwnProgram());
    if (role == wire::ROLE_WORKER && processId < job_.cluster.jobAddresses.size()) {
        config::Address address = job_.cluster.jobAddresses[processId];
        if (processId == 0 && !job_.launch.runsOwnProgram()) address.port = coordinator_->port();
        if (!config_.own_address().empty()) address.host = config_.own_address();
        worker.set_address(config::toString(address));
    }
    worker.set_outlives_termination(!config_.ticket_file().empty());
    return processes_->start(worker, segment);
}

wire::AgentReady Agent::ready() const {
    wire::AgentReady ready;
    ready.set_monitor_endpoint(coordinator_->monitorEndpoint());
    ready.set_monitor_key_file((runtimeFolder_ / "monitor.key").string());
    ready.set_coordinator_address(coordinator_->memberEndpoint());
    for (const wire::StartTicket& ticket : tickets_)
        *ready.add_tickets() = ticket;
    const pid_t self = ::getpid();
    ready.set_pid(self);
    ready.set_start_time(processStartTime(self).value_or(0));
    return ready;
}

int Agent::supervise(int input, std::atomic<bool>& terminate) {
    LauncherLine launcher(input, config_.tied());
    coordination::Outcome outcome = superviseGeneration(launcher, terminate);
    while (restarts(outcome, terminate.load())) {
        ++generation_;
        std::error_code unknown;
        config_.set_resume(std::filesystem::exists(folder_.paths().checkpoints(), unknown));
        auto started = makeSegment();
        coordinator_->beginGeneration(generation_);
        if (started) started = startGeneration();
        if (!started) {
            outcome.failure.set_cause(started.error().message);
            break;
        }
        outcome = superviseGeneration(launcher, terminate);
    }
    return finish(outcome, launcher.isAbandoned());
}

coordination::Outcome Agent::superviseGeneration(LauncherLine& launcher,
                                                 std::atomic<bool>& terminate) {
    std::optional<Nanos> stopDeadline;
    for (;;) {
        if (processes_->poll(kTick, launcher.fd())) launcher.read();
        if (launcher.isAbandoned()) terminate.store(true);
        const Nanos now = SteadyClock::read();
        if (terminate.load() && !stopDeadline) {
            coordinator_->requestStop();
            stopDeadline = now + kStopGrace;
        }
        if (launcher.isAbandoned()) stopDeadline = std::min(*stopDeadline, now + kAbandonedGrace);
        if (stopDeadline && now > *stopDeadline) {
            coordinator_->requestKill();
            stopDeadline = now + kStopGrace;  // asked again, should it have been lost
        }
        auto outcome = coordinator_->waitOutcome(Nanos{0});
        if (!outcome && outcome.error().code == ErrorCode::Timeout) continue;
        endProcesses(launcher.isAbandoned());
        if (outcome) {
            if (outcome->failure.host().empty())
                outcome->failure.set_host(hostOf(outcome->failure));
            return *outcome;
        }
        coordination::Outcome broken;
        broken.kind = coordination::OutcomeKind::Failed;
        broken.failure.set_host(hostName());
        broken.failure.set_cause(outcome.error().message);
        broken.remedy = outcome.error().remedy;
        return broken;
    }
}

void Agent::endProcesses(bool abandoned) {
    if (abandoned)
        processes_->terminate(kAbandonedPatience, Nanos{});
    else if (config_.ticket_file().empty())
        processes_->terminate(kOwnEndPatience, kTerminationGrace);
    else  // they outlive a SIGTERM
        processes_->terminate(kOwnEndPatience, Nanos{});
}

/// Of one that never registered, and so has not said where it is.
std::string Agent::hostOf(const wire::Failure& failure) const {
    const std::vector<std::string> hosts = config::processHosts(job_);
    const bool elsewhere = failure.role() == wire::ROLE_WORKER &&
                           std::ranges::count(config_.process_ids(), failure.process_id()) == 0;
    if (!elsewhere) return hostName();
    return failure.process_id() < hosts.size() ? hosts[failure.process_id()] : "never seen";
}

bool Agent::restarts(const coordination::Outcome& outcome, bool terminated) {
    if (outcome.kind == coordination::OutcomeKind::Failed ||
        outcome.kind == coordination::OutcomeKind::BadInput)
        failures_.push_back(outcome.failure);
    if (outcome.kind != coordination::OutcomeKind::Failed) return false;
    if (terminated || outcome.stopRequested) return false;
    if (static_cast<int>(generation_) >= job_.launch.maxRestarts) return false;
    wire::Record record;
    record.mutable_run_state()->set_state(wire::RUN_STATE_RESTARTING);
    record.mutable_run_state()->set_sentence(fmt::format("restart {} of {} after: {}",
                                                         generation_ + 1, job_.launch.maxRestarts,
                                                         outcome.failure.cause()));
    append(std::move(record));
    return true;
}

/// A start that trained nothing has no figures of its own, and its job was never used.
bool Agent::onlyResumed(const std::string& summary) const {
    return generation_ == 0 && config_.resume() && trainedNothing(summary);
}

std::string Agent::summaryOf(const coordination::Outcome& outcome, const RunFacts& facts) const {
    const std::string summary = completeSummary(outcome.summaryJson, facts);
    return onlyResumed(summary) ? resumedSummary(folder_.former().summary(), summary) : summary;
}

/// Writes the run's summary where its folder is now, and returns it; what could not be kept is said
/// in it.
std::string Agent::writeSummary(const coordination::Outcome& outcome, RunFacts& facts,
                                bool isKept) const {
    const std::string summary = summaryOf(outcome, facts);
    if (!isKept) return summary;
    const auto folder = folder_.whereabouts();
    const Result<void> written =
        folder ? replaceFileDurably(RunPaths{*folder}.summary(), summary) : fail(folder.error());
    if (written) return summary;
    std::fprintf(stderr, "warning: %s\n", written.error().message.c_str());
    if (!facts.missingRecords.empty()) facts.missingRecords += "; ";
    facts.missingRecords += "there is no summary: " + written.error().message;
    return summaryOf(outcome, facts);
}

int Agent::finish(const coordination::Outcome& outcome, bool abandoned) {
    const coordination::JournalReport journal =
        coordinator_->settleJournal(abandoned ? kAbandonedPatience : kJournalPatience);
    RunFacts facts{
        .status = statusOf(outcome.kind),
        .wallSeconds = std::chrono::duration<double>(SteadyClock::read() - began_).count(),
        .restarts = static_cast<int>(generation_),
        .failures = failures_,
        .worldSize =
            job_.launch.runsOwnProgram() ? job_.cluster.numProcesses : job_.cluster.replicaCount(),
        .lostRecords = journal.lostRecords,
        .missingRecords = journal.missing,
    };
    if (const std::string problem =
            events_->settle(abandoned ? kAbandonedPatience : kEventsPatience);
        !problem.empty())
        facts.missingRecords += (facts.missingRecords.empty() ? "" : "; ") +
                                ("event files and epochs.csv are not complete: " + problem);
    // Refused before the first step, nothing is left written; what was trained is never given up.
    std::error_code ignored;
    const bool neverTrained =
        outcome.kind == coordination::OutcomeKind::BadInput && generation_ == 0 &&
        (config_.resume()
             ? outcome.failure.step() == 0
             : !std::filesystem::exists(folder_.paths().checkpoints() / "LATEST", ignored));
    const std::string summary = writeSummary(outcome, facts, !neverTrained);
    const std::string formerJob = folder_.former().job();
    if (onlyResumed(completeSummary(outcome.summaryJson, facts)) && !formerJob.empty())
        std::ignore = replaceFileDurably(folder_.paths().job(), formerJob);
    wire::RunEnd end;
    end.set_status(facts.status);
    end.set_summary_json(summary);
    end.set_exit_status(coordination::exitStatusOf(outcome.kind));
    if (end.exit_status() == kExitFailed)
        end.set_error(
            outcome.failure.role() == wire::ROLE_AGENT
                ? fmt::format("agent ({}): {}", outcome.failure.host(), outcome.failure.cause())
                : fmt::format("process {} ({}): {}", outcome.failure.process_id(),
                              outcome.failure.host(), outcome.failure.cause()));
    else if (end.exit_status() == kExitBadInput)
        end.set_error(outcome.failure.cause());
    end.set_remedy(outcome.remedy);
    withdrawTicket();
    const auto refusal = refuseLateComers(outcome, end);
    folder_.removeContact();
    std::ignore = folder_.writeProcesses({});
    coordinator_->endRun(end);
    // What is taken back below can be read over the connection only.
    if (abandoned)
        coordinator_->shutdown(kAbandonedPatience);
    else
        coordinator_->shutdown(std::chrono::seconds(neverTrained ? 5 : 2), neverTrained);
    events_.reset();
    // Where its name says of which start it is, it stays for all who come, like the run's folder.
    if (refusal && (neverTrained || !config_.ticket_names_start())) refusal->withdraw();
    if (neverTrained) folder_.takeBack();
    if (!neverTrained && job_.cluster.evaluator && !job_.launch.runsOwnProgram())
        removeScoredCheckpoints(folder_.paths(), job_.checkpoint.keep);
    std::filesystem::remove_all(runtimeFolder_, ignored);
    return static_cast<int>(end.exit_status());
}

void Agent::append(wire::Record record) {
    record.set_wall_time(recordSeconds());
    std::ignore = coordinator_->appendRecord(record);  // log lines over the limit are left out
}

}  // namespace lockstep::launch
