// SPDX-License-Identifier: Apache-2.0
#include "core/run/run_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <tuple>

#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/record_clock.h"
#include "core/base/try.h"
#include "core/checkpoint/suspect_mark.h"
#include "core/run/run_end.h"
#include "core/run/worker_config.h"

namespace lockstep::run {

namespace fs = std::filesystem;
using coordination::Outcome;
using coordination::OutcomeKind;

namespace {

/// A process that dies with whoever watched it is told by its silence: that takes three heartbeats.
constexpr Millis kGraceOfUnseenEnds{3500};

/// The newest ones stay for resuming anyway: they may wait, too.
coordination::ScoringRules scoringRulesOf(const config::JobSpec& job) {
    return {.newestOnly = job.evaluator.policy == config::EvaluatorPolicy::Latest,
            .mostWaiting = static_cast<std::size_t>(
                std::max(job.checkpoint.keep, job.checkpoint.keepUnscored))};
}

coordination::StuckRules stuckRulesOf(const config::LaunchSpec& launch) {
    using coordination::StuckAction;
    const StuckAction action = launch.onStuck == config::OnStuck::Restart ? StuckAction::Restart
                               : launch.onStuck == config::OnStuck::Stop  ? StuckAction::Stop
                                                                          : StuckAction::Wait;
    return {.action = action, .grace = toNanos(launch.stuckGraceSeconds)};
}

}  // namespace

RunHost::RunHost(RunPlan plan, RunFolder folder)
    : plan_(std::move(plan)), folder_(std::move(folder)), began_(SteadyClock::read()) {
    failures_ = plan_.failuresBefore;
    for (wire::Failure& failure : failures_)
        if (failure.host().empty()) failure.set_host(hostName());
}

Result<std::unique_ptr<RunHost>> RunHost::open(RunPlan plan) {
    auto folder =
        TRY(RunFolder::open(plan.folder, plan.resume, plan.createdFolder, plan.fromScratch));
    auto host = std::unique_ptr<RunHost>(new RunHost(std::move(plan), std::move(folder)));
    if (auto started = host->start(); !started) {
        host->takeBack();
        return fail(started.error());
    }
    return host;
}

Result<void> RunHost::start() {
    TRY(folder_.writeRunId(plan_.runId));
    auto keys = TRY(coordination::JobKeys::make());
    std::uint64_t journalStart = 0;
    std::error_code absent;
    if (plan_.resume && fs::exists(paths().journal(), absent)) {
        const auto former = TRY(telemetry::checkJournal(paths().journal()));
        journalStart = former.end;
        formerDamage_ = former.damage;
    }
    events_ = std::make_unique<EventWriter>(paths().journal(), paths().events(),
                                            plan_.job.log.csv ? paths().epochs() : fs::path(),
                                            journalStart);
    coordinator_ = TRY(
        coordination::HostedCoordinator::start(coordinatorOptions(), std::move(keys), plan_.runId));
    TRY(replaceFileDurably(paths().job(), plan_.jobToml));
    if (!folder_.openingNote().empty()) {
        wire::Record record;
        record.mutable_notice()->set_role(wire::ROLE_AGENT);
        record.mutable_notice()->set_sentence(folder_.openingNote());
        append(std::move(record));
    }
    TRY(coordinator_->admitMonitors());
    return run::writeContact(paths(), {.runId = plan_.runId,
                                       .endpoint = (*coordinator_)->monitorEndpoint(),
                                       .keyFile = coordinator_->monitorKeyFile(),
                                       .journalStart = journalStart});
}

coordination::CoordinatorOptions RunHost::coordinatorOptions() const {
    coordination::CoordinatorOptions options;
    options.rules = coordination::rulesOf(plan_.job.cluster);
    options.rules.runId = plan_.runId;
    options.rules.evaluators = plan_.evaluators;
    options.rules.runsOwnProgram = plan_.job.launch.runsOwnProgram();
    options.rules.scoring = scoringRulesOf(plan_.job);
    options.rules.stuck = stuckRulesOf(plan_.job.launch);
    options.rules.agents = plan_.agents;
    if (!plan_.seesAllEnds) options.rules.followUpGrace = kGraceOfUnseenEnds;
    options.bindHost = plan_.listen.host;
    options.port = plan_.listen.port;
    options.journal = paths().journal();
    options.checkpoints = paths().checkpoints();
    return options;
}

wire::StartTicket RunHost::blankTicket() const {
    wire::StartTicket ticket = coordinator_->blankTicket();
    ticket.set_run_dir(paths().folder.string());
    ticket.set_job_toml(plan_.jobToml);
    return ticket;
}

Result<void> RunHost::admit(const coordination::ProcessKey& process, wire::StartTicket& ticket) {
    if (process.role == wire::ROLE_AGENT) ++invitedAgents_;
    return coordinator_->admit(process, ticket);
}

Result<void> RunHost::offerTicket(const fs::path& file, bool namesStart,
                                  const wire::StartTicket& ticket) {
    std::error_code ignored;
    if (file.parent_path() == paths().folder)
        fs::permissions(paths().folder, fs::perms::group_write | fs::perms::others_write,
                        fs::perm_options::remove, ignored);  // keys lie in it; checked below
    auto offered = TRY(coordination::OfferedTicket::offer(file, ticket));
    ticket_.emplace(std::move(offered));
    ticketNamesStart_ = namesStart;
    return {};
}

Result<wire::WorkerConfig> RunHost::configFor(const coordination::ProcessKey& process) {
    wire::StartTicket ticket = blankTicket();
    ticket.set_coordinator_address(coordinator_->addressHere());
    TRY(admit(process, ticket));
    wire::WorkerConfig config = workerConfigOf(ticket, plan_.job, process).value();
    config.set_job_dir(plan_.jobFolder);
    config.set_resume(plan_.resume);
    config.set_restarts(static_cast<std::uint32_t>(restarts()));
    if (process.id == 0) config.set_former_job_toml(folder_.former().job());
    return config;
}

void RunHost::append(wire::Record record) {
    record.set_wall_time(recordSeconds());
    if (!(*coordinator_)->appendRecord(record)) return missed_.note(record);
    sayMissed(false);
}

/// Only at the end it waits for room: until then this thread has more to do, and may say it later.
void RunHost::sayMissed(bool isLast) {
    const auto worth = isLast ? telemetry::RecordWorth::Event : telemetry::RecordWorth::Sample;
    const auto take = [this, worth](const wire::Record& word) {
        return (*coordinator_)->appendRecord(word, worth);
    };
    missed_.tell(SteadyClock::read(), take, isLast);
}

Result<void> RunHost::writeProcesses(const std::vector<ProcessEntry>& processes) const {
    return run::writeProcesses(paths(), processes);
}

void RunHost::beginGeneration(const Outcome& failed) {
    failures_.push_back(failed.failure);
    markSuspect(failed.failure);
    ++generation_;
    std::error_code unknown;
    plan_.resume = fs::exists(paths().checkpoints(), unknown);
    (*coordinator_)->beginGeneration(generation_);
}

/// The next start takes the one before.
void RunHost::markSuspect(const wire::Failure& failure) {
    const auto step = static_cast<std::int64_t>(failure.suspect_checkpoint());
    if (step == 0) return;
    const checkpoint::Suspicion suspicion{
        .step = step,
        .failedAt = static_cast<std::int64_t>(failure.step()) + 1,
        .cause = failure.cause(),
    };
    const auto marked = checkpoint::markSuspect(paths().checkpoints(), suspicion);
    wire::Record record;
    record.mutable_notice()->set_role(wire::ROLE_AGENT);
    record.mutable_notice()->set_sentence(
        marked ? fmt::format("the checkpoint of step {} is marked as suspect: {}", step,
                             suspicionText(suspicion))
               : fmt::format("the checkpoint of step {} could not be marked as suspect: {}", step,
                             marked.error().message));
    append(std::move(record));
}

void RunHost::takeBack(Nanos lastEvents) {
    ticket_.reset();
    coordinator_.reset();
    endEvents(lastEvents);  // it writes into the folder that is taken back
    removeContact(paths());
    takeFolderBack();
}

/// Never from under a thread that may go on: it would write into what is there by then.
void RunHost::takeFolderBack() {
    if (!eventsHang_) return folder_.takeBack();
    const std::string aside = plan_.fromScratch ? folder_.openingNote() : std::string();
    std::fprintf(
        stderr,
        "warning: %s keeps what this start has written: the thread of its event files does "
        "not end%s\n",
        paths().folder.c_str(), aside.empty() ? "" : ("; " + aside).c_str());
    folder_.leave();
}

wire::RunEnd RunHost::conclude(const Outcome& outcome, const EndPatience& patience,
                               bool beginsAgain) {
    if (hasFailed(outcome)) failures_.push_back(outcome.failure);
    markSuspect(outcome.failure);
    sayMissed(true);
    const bool leavesNothing = endsBeforeItBegan(outcome);
    wire::RunEnd end = runEndOf(outcome);
    end.set_begins_again(beginsAgain);
    const RunFacts facts = settle(outcome, end, patience);
    end.set_summary_json(leavesNothing ? summaryOf(outcome.summaryJson, facts)
                                       : writeSummary(outcome.summaryJson, facts));
    const std::string formerJob = folder_.former().job();
    if (!formerJob.empty() && onlyResumed(completeSummary(outcome.summaryJson, facts)))
        std::ignore = replaceFileDurably(paths().job(), formerJob);
    const auto refusal = refuseLateComers(outcome, end);
    tellTheEnd(end, patience, leavesNothing);
    // Where its name says of which start it is, it stays for all who come, like the run's folder.
    if (refusal && (leavesNothing || !ticketNamesStart_)) refusal->withdraw();
    if (leavesNothing)
        takeFolderBack();
    else if (plan_.job.cluster.evaluator && !plan_.job.launch.runsOwnProgram())
        removeScoredCheckpoints(paths(), plan_.job.checkpoint.keep);
    coordinator_->removeFolder();
    return end;
}

/// Refused before the first step, nothing is left written; what was trained is never given up.
bool RunHost::endsBeforeItBegan(const Outcome& outcome) const {
    if (outcome.kind != OutcomeKind::BadInput || generation_ > 0) return false;
    std::error_code ignored;
    return plan_.resume ? outcome.failure.step() == 0
                        : !fs::exists(paths().checkpoints() / "LATEST", ignored);
}

RunFacts RunHost::settle(const Outcome& outcome, const wire::RunEnd& end,
                         const EndPatience& patience) const {
    const coordination::JournalReport journal = (*coordinator_)->settleJournal(patience.journal);
    const config::ClusterSpec& cluster = plan_.job.cluster;
    RunFacts facts{
        .status = end.status(),
        .wallSeconds = plan_.secondsBefore + Seconds(SteadyClock::read() - began_).count(),
        .earlierSeconds =
            folder_.former().job().empty() ? 0 : secondsUntilEndOf(folder_.former().summary()),
        .restarts = restarts(),
        .failures = failures_,
        .replacedHosts = plan_.replacedHosts,
        .leftHosts = plan_.leftHosts,
        .processes = cluster.numProcesses,
        .worldSize =
            plan_.job.launch.runsOwnProgram() ? cluster.numProcesses : cluster.replicaCount(),
        .lostRecords = journal.lostRecords,
        .missingRecords = journal.missing,
        .drills = outcome.drills,
        .stragglers = outcome.stragglers,
        .copies = (*coordinator_)->copies(),
    };
    if (plan_.evaluators > 0) facts.scoring = outcome.scoring;
    if (const std::string problem = events_->settle(patience.eventFiles); !problem.empty())
        facts.missingRecords += (facts.missingRecords.empty() ? "" : "; ") +
                                ("event files and epochs.csv are not complete: " + problem);
    else
        tellReadBack(facts);
    facts.damage = formerDamage_;
    facts.damage.add(events_->readBack().damage);
    return facts;
}

void RunHost::tellReadBack(RunFacts& facts) const {
    const ReadBack read = events_->readBack();
    facts.writtenRecords = read.records;
    if (plan_.job.launch.runsOwnProgram()) return;  // it reports the steps that it likes
    facts.lostSteps = read.lostSteps;
    facts.lostStepsText = read.lostStepsText;
}

/// A start that trained nothing has no figures of its own, and its job was never used.
bool RunHost::onlyResumed(const std::string& summary) const {
    return generation_ == 0 && plan_.resume && trainedNothing(summary);
}

std::string RunHost::summaryOf(const std::string& chiefs, const RunFacts& facts) const {
    const std::string summary = completeSummary(chiefs, facts);
    return onlyResumed(summary) ? resumedSummary(folder_.former().summary(), summary) : summary;
}

/// Writes the run's summary where its folder is now, and returns it; what could not be kept is said
/// in it.
std::string RunHost::writeSummary(const std::string& chiefs, RunFacts facts) const {
    std::string summary = summaryOf(chiefs, facts);
    const auto folder = folder_.whereabouts();
    const Result<void> written =
        folder ? replaceFileDurably(RunPaths{*folder}.summary(), summary) : fail(folder.error());
    if (written) return summary;
    std::fprintf(stderr, "warning: %s\n", written.error().message.c_str());
    if (!facts.missingRecords.empty()) facts.missingRecords += "; ";
    facts.missingRecords += "there is no summary: " + written.error().message;
    return summaryOf(chiefs, facts);
}

/// Who has not come yet shall not wait for a run that is over. Null: all have come, or will not.
std::unique_ptr<StartRefusal> RunHost::refuseLateComers(const Outcome& outcome,
                                                        const wire::RunEnd& end) {
    if (!ticket_) return nullptr;
    ticket_->withdraw();
    if (end.exit_status() == 0 || outcome.agents >= invitedAgents_) return nullptr;
    wire::StartTicket refusal;
    refusal.set_run_id(plan_.runId);
    refusal.set_run_dir(paths().folder.string());
    refusal.set_error(fmt::format("run {} was {} before this process had joined{}{}", plan_.runId,
                                  end.status() == "stopped" ? "stopped" : "over",
                                  end.error().empty() ? "" : ": ", end.error()));
    refusal.set_remedy(end.remedy());
    refusal.set_exit_status(end.exit_status());
    return std::make_unique<StartRefusal>(ticket_->file(), refusal);
}

void RunHost::tellTheEnd(const wire::RunEnd& end, const EndPatience& patience, bool leavesNothing) {
    removeContact(paths());
    std::ignore = run::writeProcesses(paths(), {});
    (*coordinator_)->endRun(fitted(end));
    const bool awaitReader = leavesNothing && patience.firstMonitor > Nanos{};
    (*coordinator_)->shutdown(awaitReader ? patience.firstMonitor : patience.monitors, awaitReader);
    endEvents(patience.lastEvents);
}

/// A disk that hangs, or who holds the thread, keeps nobody from ending: it is left to itself then,
/// and ends with this process. The summary has it where it hung before the run's end was told.
void RunHost::endEvents(Nanos patience) {
    eventsHang_ = events_ && !events_->end(patience);
    if (!eventsHang_) return events_.reset();
    std::fprintf(stderr,
                 "warning: event files and epochs.csv are not complete: their thread does not end. "
                 "The journal has it all\n");
    std::ignore = events_.release();
}

}  // namespace lockstep::run
