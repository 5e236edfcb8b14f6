// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/hosting_agent.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/base/ids.h"
#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/config/job/cluster_spec.h"
#include "core/coordination/state/sentences.h"
#include "core/launch/agent/next_start.h"
#include "core/launch/agent/other_agents.h"
#include "core/launch/agent/replica_count.h"
#include "core/launch/agent/stop_grace.h"
#include "core/run/repeated_failure.h"
#include "core/run/run_end.h"

namespace lockstep::launch {

using coordination::StopAsker;

namespace {

constexpr std::chrono::seconds kStandstillSaid{3};      ///< Of the coordinator's thread.
constexpr std::chrono::seconds kShortestStandstill{5};  ///< That ends the agent.
constexpr std::chrono::seconds kCopiesUnsaid{2};        ///< For the last checkpoint's copy.
constexpr std::chrono::seconds kSilentCopies{30};       ///< Not a heartbeat.
constexpr std::chrono::seconds kCopiesOfFailed{5};      ///< The other host may be what has failed.
constexpr std::chrono::seconds kFailingCopies{60};      ///< There may be space again.
constexpr std::chrono::seconds kLongestCopies{600};
constexpr Millis kAbandonedPatience{300};
constexpr run::EndPatience kAbandonedEnd{kAbandonedPatience, kAbandonedPatience, kAbandonedPatience,
                                         Nanos{}};

/// Where the coordinator listens: at process 0's address, which the job's own program takes itself.
config::Address listeningAddress(const wire::AgentConfig& config, const config::JobSpec& job) {
    const std::vector<config::Address>& addresses = job.cluster.jobAddresses;
    config::Address address =
        addresses.empty() ? config::Address{"127.0.0.1", 0} : addresses.front();
    if (!config.bind_host().empty()) address.host = config.bind_host();
    if (job.launch.runsOwnProgram()) address.port = 0;
    return address;
}

run::RunPlan planOf(const wire::AgentConfig& config, const config::JobSpec& job) {
    const auto agents = agentsElsewhere(config, job);
    return {
        .runId = config.run_id(),
        .folder = config.run_dir(),
        .resume = config.resume(),
        .createdFolder = config.created_folder(),
        .fromScratch = config.from_scratch(),
        .job = job,
        .jobToml = config.job_toml(),
        .jobFolder = config.job_dir(),
        .listen = listeningAddress(config, job),
        .evaluators = evaluatorsExpected(config, job),
        .agents = agents,
        .seesAllEnds = agents.empty(),
        .failuresBefore = {config.failures_before().begin(), config.failures_before().end()},
        .replacedHosts = {config.replaced_hosts().begin(), config.replaced_hosts().end()},
        .leftHosts = {config.left_hosts().begin(), config.left_hosts().end()},
        .secondsBefore = config.seconds_before(),
    };
}

/// What a lost host had of the job, in words.
std::string partOf(const auto& lost) {
    const std::vector<int> processes(lost.process_ids().begin(), lost.process_ids().end());
    std::string part = processes.empty() ? "" : coordination::processesText(processes);
    if (lost.evaluator()) part += part.empty() ? "the evaluator" : " and the evaluator";
    return part;
}

/// The run is told what the group sees without a connection in between.
WorkerGroup::Reports reportsTo(run::RunHost& host) {
    return {
        .record = [&host](wire::Record record) { host.append(std::move(record)); },
        .exit =
            [&host](const wire::ProcessExit& exit, std::uint32_t generation) {
                host.coordinator()->reportProcessExit(exit, generation);
            },
        .held =
            [&host](const wire::ProcessHeld& held, std::uint32_t generation) {
                host.coordinator()->reportProcessHeld(held, generation);
            },
        .running = [&host](const auto& processes) { return host.writeProcesses(processes); },
    };
}

}  // namespace

HostingAgent::HostingAgent(wire::AgentConfig config, config::JobSpec job,
                           std::unique_ptr<run::RunHost> host)
    : config_(std::move(config)),
      job_(std::move(job)),
      hostGroup_(randomHex(8)),
      host_(std::move(host)),
      orders_(stopGraceOf(job_, false)),
      group_(
          {config_.worker_program(), places(), hostGroup_, job_.launch.keepsSteps(),
           config_.ticket_file().empty() ? keeperName(config_.run_dir(), processesOf(config_, job_))
                                         : std::string(),
           keeperPatience(job_), toNanos(job_.cluster.heartbeatTimeoutSeconds)},
          {config_.run_id(), places().folder.string(), job_.name, true}, reportsTo(*host_)),
      coordinatorWatch_(
          kStandstillSaid,
          std::max<Nanos>(kShortestStandstill, toNanos(job_.cluster.heartbeatTimeoutSeconds))) {}

Result<std::unique_ptr<HostingAgent>> HostingAgent::start(wire::AgentConfig config) {
    auto document = TRY(config::JobDocument::parse(config.job_toml(), "job.toml"));
    const auto asked = TRY(document.checked());
    auto job = TRY(withCountedReplicas(asked, config));
    if (job.cluster.devicesPerProcess != asked.cluster.devicesPerProcess)
        config.set_job_toml(config::resolvedToml(job));
    auto host = TRY(run::RunHost::open(planOf(config, job)));
    auto agent = std::unique_ptr<HostingAgent>(
        new HostingAgent(std::move(config), std::move(job), std::move(host)));
    if (auto started = agent->start(); !started) {
        agent->group_.endAtOnce();
        agent->host_->takeBack();
        return fail(started.error());
    }
    return agent;
}

Result<void> HostingAgent::start() {
    if (host_->restarts() > 0) {
        tellRestart(host_->restarts(), config_.failures_before().rbegin()->cause());
        tellReplacements();
        tellLeftHosts();
    }
    tellCopies();
    group_.enlist();
    TRY(renewMemory());
    TRY(offerTicket());
    TRY(makeTickets());
    return startGeneration();
}

/// Before anybody is told of the generation: members that other agents of this host start open it.
Result<void> HostingAgent::renewMemory() {
    const int workers =
        config_.ticket_file().empty() ? config_.process_ids_size() : job_.cluster.numProcesses;
    return ReplicaMemory::isUsed(job_, workers) ? memory_.renew() : Result<void>();
}

/// Keys for those of the job that others start, in a file that only this user can read.
Result<void> HostingAgent::offerTicket() {
    if (config_.ticket_file().empty()) return {};
    wire::StartTicket ticket = host_->blankTicket();
    const auto whole = config::parseAddress(config_.coordinator_host());
    const config::Address here{config_.coordinator_host(), host_->coordinator()->port()};
    ticket.set_coordinator_address(config::toString(whole ? *whole : here));
    ticket.set_host_identity(hostIdentity());
    ticket.set_host_group(hostGroup_);
    if (memory_.fd() >= 0)
        ticket.set_segment_path(fmt::format("/proc/{}/fd/{}", ::getpid(), memory_.fd()));
    for (const auto& [process, agent] : agentsElsewhere(config_, job_)) {
        TRY(host_->admit(process, ticket));
        TRY(host_->admit({wire::ROLE_AGENT, agent}, ticket));
    }
    return host_->offerTicket(config_.ticket_file(), config_.ticket_names_start(), ticket);
}

/// Keys for the agents of other hosts, which the launcher hands to each its own.
Result<void> HostingAgent::makeTickets() {
    for (const wire::OtherAgent& other : config_.other_agents()) {
        wire::StartTicket ticket = host_->blankTicket();
        ticket.set_coordinator_address(host_->coordinator().memberAddress());
        TRY(host_->admit({wire::ROLE_AGENT, memberIdOf(other, workerCount())}, ticket));
        for (const coordination::ProcessKey& process : processesOf(other, job_))
            TRY(host_->admit(process, ticket));
        tickets_.push_back(std::move(ticket));
    }
    return {};
}

Result<void> HostingAgent::startGeneration() {
    std::vector<wire::WorkerConfig> configs;
    for (const coordination::ProcessKey& process : processesOf(config_, job_))
        configs.push_back(TRY(configFor(process)));
    return group_.begin(host_->generation(), std::move(configs), memory_.fd());
}

Result<wire::WorkerConfig> HostingAgent::configFor(const coordination::ProcessKey& process) {
    auto config = TRY(host_->configFor(process));
    const std::vector<config::Address>& addresses = job_.cluster.jobAddresses;
    if (process.role == wire::ROLE_EVALUATOR || process.id >= addresses.size()) return config;
    config::Address address = addresses[process.id];
    if (process.id == 0 && !job_.launch.runsOwnProgram())
        address.port = host_->coordinator()->port();
    if (!config_.own_address().empty()) address.host = config_.own_address();
    config.set_address(config::toString(address));
    if (process.id == 0 && config_.device_choice().local_ids_size() > 0)
        *config.mutable_device_choice() = config_.device_choice();
    return config;
}

wire::AgentReady HostingAgent::ready() const {
    wire::AgentReady ready;
    ready.set_monitor_endpoint(host_->coordinator()->monitorEndpoint());
    ready.set_monitor_key_file(host_->coordinator().monitorKeyFile().string());
    ready.set_coordinator_address(host_->coordinator()->memberEndpoint());
    for (const wire::StartTicket& ticket : tickets_)
        *ready.add_tickets() = ticket;
    return ready;
}

int HostingAgent::supervise(LauncherLine& launcher, const std::atomic<bool>& terminate) {
    coordination::Outcome outcome = superviseGeneration(launcher, terminate);
    while (!terminate.load() && !launcher.isAbandoned() && restarts(outcome)) {
        auto started = renewMemory();
        host_->beginGeneration(outcome);
        if (started) started = startGeneration();
        if (!started) {
            group_.endAtOnce();
            outcome = run::brokenOutcome(started.error());
            break;
        }
        outcome = superviseGeneration(launcher, terminate);
    }
    awaitCopies(outcome, launcher, terminate);
    const bool beginsAgain =
        config_.begins_again() && mayBeginAgain(outcome, launcher.isAbandoned());
    if (!beginsAgain) group_.dropKeptSteps();
    const wire::RunEnd end = host_->conclude(
        outcome, launcher.isAbandoned() ? kAbandonedEnd : run::EndPatience{}, beginsAgain);
    return static_cast<int>(end.exit_status());
}

coordination::Outcome HostingAgent::superviseGeneration(LauncherLine& launcher,
                                                        const std::atomic<bool>& terminate) {
    for (;;) {
        if (group_.poll(launcher.fd())) launcher.read();
        watchCoordinator();
        const bool isTold = terminate.load();
        if (isTold && !forTimeLimit_) {
            forTimeLimit_ = isForTimeLimit(job_, std::getenv("SLURM_JOB_END_TIME"), wallSeconds());
            orders_.setGrace(stopGraceOf(job_, *forTimeLimit_));
        }
        const auto step = orders_.next(isTold, launcher.isAbandoned(), SteadyClock::read());
        if (isTold && !launcher.isAbandoned() && step == EndOrders::Step::Force)
            notice(graceIsOver(stopGraceOf(job_, *forTimeLimit_), *forTimeLimit_));
        heedOrders(step, isTold ? StopAsker::User : StopAsker::Agent);
        auto outcome = host_->coordinator()->waitOutcome(Nanos{0});
        if (!outcome && outcome.error().code == ErrorCode::Timeout) continue;
        if (launcher.isAbandoned())
            group_.endAtOnce(kAbandonedPatience);
        else
            group_.end();
        if (!outcome) return run::brokenOutcome(outcome.error());
        if (outcome->failure.host().empty()) outcome->failure.set_host(hostOf(outcome->failure));
        return *outcome;
    }
}

/// Nobody hears a coordinator that stands, and nothing ends it: its processes have left by then.
/// Whoever has started this agent takes it for lost, and makes another one.
void HostingAgent::watchCoordinator() {
    const Nanos now = SteadyClock::read();
    const LoopWatch::Step step = coordinatorWatch_.look(host_->coordinator()->lastTurn(), now);
    if (step == LoopWatch::Step::GoOn) return;
    const bool isLost = step == LoopWatch::Step::GiveUp;
    std::fprintf(stderr, "%s: the coordinator's thread has not run for %s\n",
                 isLost ? "error" : "warning",
                 coordination::secondsText(coordinatorWatch_.stood()).c_str());
    if (isLost) std::abort();
}

void HostingAgent::heedOrders(EndOrders::Step step, StopAsker asker) {
    if (step == EndOrders::Step::AskToStop) host_->coordinator()->requestStop(asker);
    if (step == EndOrders::Step::Force) host_->coordinator()->requestKill(asker);
}

/// Of one that never registered, and so has not said where it is.
std::string HostingAgent::hostOf(const wire::Failure& failure) const {
    const std::vector<std::string> hosts = config::processHosts(job_);
    const bool elsewhere = failure.role() == wire::ROLE_WORKER &&
                           std::ranges::count(config_.process_ids(), failure.process_id()) == 0;
    if (!elsewhere) return hostName();
    return failure.process_id() < hosts.size() ? hosts[failure.process_id()] : "never seen";
}

/// Then the outcome says so.
bool HostingAgent::repeatsItself(coordination::Outcome& outcome) const {
    std::vector<wire::Failure> failures = host_->failures();
    failures.push_back(outcome.failure);
    if (!run::repeatsItself(failures, job_.launch.runsOwnProgram())) return false;
    outcome.failure.set_cause(run::repetitionText(failures));
    outcome.remedy =
        run::repetitionRemedy(outcome.remedy, job_.launch.restarts() - host_->restarts());
    return true;
}

bool HostingAgent::restarts(coordination::Outcome& outcome) {
    if (outcome.kind != coordination::OutcomeKind::Failed) return false;
    if (outcome.stopRequested || outcome.isFinal || repeatsItself(outcome)) return false;
    if (host_->restarts() >= job_.launch.restarts()) return false;
    tellRestart(host_->restarts() + 1, outcome.failure.cause());
    return true;
}

/// The spares that have taken their places with this start.
void HostingAgent::tellReplacements() {
    for (const wire::HostReplacement& one : config_.replaced_hosts()) {
        if (static_cast<int>(one.restart()) != host_->restarts()) continue;
        notice(fmt::format("{} takes the place of {}, which was lost and not reached again: {}",
                           one.spare(), one.host(), partOf(one)));
    }
}

/// The hosts that this start is the first one without.
void HostingAgent::tellLeftHosts() {
    for (const wire::HostLeftBehind& one : config_.left_hosts()) {
        if (static_cast<int>(one.restart()) != host_->restarts()) continue;
        notice(fmt::format("the run goes on with {} of {}: {}, with {}, cannot be reached",
                           one.processes_left(), counted(one.processes_launched(), "process"),
                           one.host(), partOf(one)));
    }
}

/// Where the run's checkpoints lie besides here, and what a loss before has cost.
void HostingAgent::tellCopies() {
    if (!config_.restored().empty()) notice(config_.restored());
    std::string line;
    if (!config_.copy_host().empty())
        line = fmt::format("checkpoints and journal are copied to {}", config_.copy_host());
    if (!config_.copies_needless().empty())
        line = fmt::format(
            "checkpoint.copies is {}, but {} sees the run's folder, too: what all hosts share "
            "needs no copies, and none are made",
            job_.checkpoint.copies, config_.copies_needless());
    if (line.empty()) return;
    wire::Record record;
    record.mutable_log()->set_role(wire::ROLE_AGENT);
    record.mutable_log()->set_level(1);
    record.mutable_log()->set_text(line);
    host_->append(std::move(record));
}

void HostingAgent::notice(const std::string& sentence) {
    wire::Record record;
    record.mutable_notice()->set_role(wire::ROLE_AGENT);
    record.mutable_notice()->set_sentence(sentence);
    host_->append(std::move(record));
}

/// While the other host is there, which may be comparing a large one for minutes; not as long where
/// its attempts fail.
bool HostingAgent::mayWaitForCopies(Nanos since, bool hasFailed) const {
    const Nanos now = SteadyClock::read();
    const Nanos heard = std::max(host_->coordinator()->askingAgentHeard(), since);
    if (host_->coordinator()->killRequested() || now - heard > kSilentCopies) return false;
    if (hasFailed) return now - since < kCopiesOfFailed;
    const bool fails = !host_->coordinator()->copies().problem.empty();
    return now - since < (fails ? Nanos(kFailingCopies) : Nanos(kLongestCopies));
}

/// The run's last checkpoint is its result.
void HostingAgent::awaitCopies(const coordination::Outcome& outcome, LauncherLine& launcher,
                               const std::atomic<bool>& terminate) {
    if (config_.copy_host().empty()) return;
    const bool hasFailed = run::hasFailed(outcome);
    const Nanos since = SteadyClock::read();
    bool said = false;
    coordination::CopyTally tally = host_->coordinator()->copies();
    for (; tally.awaited > 0; tally = host_->coordinator()->copies()) {
        if (terminate.load() || launcher.isAbandoned() || !mayWaitForCopies(since, hasFailed))
            break;
        if (group_.poll(launcher.fd())) launcher.read();
        if (!said && SteadyClock::read() - since > kCopiesUnsaid) {
            said = true;
            notice(fmt::format("the end waits until the checkpoint of step {} is copied to {}",
                               tally.awaited, config_.copy_host()));
        }
    }
    if (tally.awaited == 0) return;
    notice(fmt::format("the checkpoint of step {} was not copied to {}: it lies on {} alone{}",
                       tally.awaited, config_.copy_host(), hostName(),
                       tally.problem.empty() ? "" : "; the last attempt: " + tally.problem));
}

void HostingAgent::tellRestart(int number, const std::string& cause) {
    wire::Record record;
    record.mutable_run_state()->set_state(wire::RUN_STATE_RESTARTING);
    record.mutable_run_state()->set_sentence(
        fmt::format("restart {} of {} after: {}", number, job_.launch.restarts(), cause));
    host_->append(std::move(record));
}

}  // namespace lockstep::launch
