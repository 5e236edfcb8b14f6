// SPDX-License-Identifier: Apache-2.0
#include "core/job/fold/run_fold.h"

#include <algorithm>
#include <utility>

#include "core/base/exit_status.h"
#include "core/base/summary_limit.h"
#include "core/checkpoint/kept_mark.h"
#include "core/config/document/job_file.h"
#include "core/job/fold/cut_off.h"
#include "core/job/fold/wire_views.h"
#include "core/text/json.h"

namespace lockstep::job {

namespace {

constexpr std::size_t kMostVerdicts = 200;
/// How long a start's process 0 may take to say what it trains, once others have said a step.
constexpr double kUnknownStart = 10;  // seconds
constexpr int kSeveritySilent = 1;
constexpr std::uint32_t kSeverityStuck = 2;
constexpr std::uint32_t kSeverityLost = 3;
constexpr std::uint32_t kSeveritySlow = 4;

/// When the last step of the batch ended.
double endOf(const wire::StepBatch& batch) {
    double microseconds = 0;
    for (int i = 1; i < batch.step_us_size(); ++i)
        microseconds += double{batch.step_us(i)};
    return batch.first_end_wall_time() + 1e-6 * microseconds;
}

/// What the summary says under that name, where it is a text.
std::optional<std::string> textIn(const std::string& summaryJson, std::string_view name) {
    return text::parseJson(summaryJson, kMostSummaryBytes)
        .value_or(text::Json())
        .get<std::string>(name);
}

}  // namespace

RunFold::RunFold(std::filesystem::path runDir) {
    now_.runDir = std::move(runDir);
}

void RunFold::apply(const wire::Record& record, std::int64_t journalOffset) {
    const double wallTime = record.wall_time();
    const double sharedTime = clock_.take(record);
    previousWallTime_ = newestWallTime_;
    newestWallTime_ = std::max(newestWallTime_, sharedTime);
    if (!isLive()) nowWall_ = newestWallTime_;
    changed_ = true;
    lostSteps_.take(record);
    switch (record.body_case()) {
        case wire::Record::kRunInfo:
            return applyInfo(record.run_info(), wallTime);
        case wire::Record::kRunState:
            return applyState(record.run_state(), wallTime);
        case wire::Record::kReplicaInfo:
            return replicas_.apply(record.replica_info());
        case wire::Record::kSteps:
            return applySteps(record.steps());
        case wire::Record::kScalarSeries:
            return scalars_.add(record.scalar_series());
        case wire::Record::kScalars:
            return applyScalars(record.scalars(), wallTime);
        case wire::Record::kHeartbeat:
            return applyHeartbeat(record.heartbeat(), wallTime, sharedTime);
        case wire::Record::kEpoch:
            return applyEpoch(record.epoch(), sharedTime);
        case wire::Record::kCheckpoint:
            return applyCheckpoint(record.checkpoint(), wallTime, sharedTime);
        case wire::Record::kCheckpointCopy:
            return applyCopy(record.checkpoint_copy(), wallTime);
        case wire::Record::kEvaluation:
            return applyEvaluation(record.evaluation(), wallTime);
        case wire::Record::kFigures:
            return applyFigures(record.figures(), sharedTime);
        case wire::Record::kLog:
            return addLog(logOf(record.log(), wallTime, journalOffset));
        case wire::Record::kFailure:
            return applyFailure(record.failure(), wallTime);
        case wire::Record::kVerdict:
            return applyVerdict(record.verdict(), wallTime);
        case wire::Record::kDrops:
            return replicas_.apply(record.drops());
        case wire::Record::kRunEnd:
            return applyEnd(record.run_end(), wallTime);
        case wire::Record::kNotice:
            return void(now_.notices.push_back(noticeOf(record.notice(), wallTime)));
        case wire::Record::kDrill:
            return applyDrill(record.drill(), wallTime);
        case wire::Record::kClockOffset:  // for timelines
        case wire::Record::kLinkReport:   // a verdict says what it means
        case wire::Record::BODY_NOT_SET:  // of a newer version
            return;
    }
}

void RunFold::applyInfo(const wire::RunInfo& info, double wallTime) {
    now_.runId = info.run_id();
    now_.name = info.name();
    now_.jobToml = info.job_toml();
    now_.generation = static_cast<int>(info.generation());
    now_.totalSteps = static_cast<std::int64_t>(info.total_steps());
    now_.firstStep = static_cast<std::int64_t>(info.first_step());
    now_.stepsPerEpoch = static_cast<std::int64_t>(info.steps_per_epoch());
    now_.epochs = static_cast<int>(info.epochs());
    now_.globalBatchSize = static_cast<int>(info.global_batch_size());
    now_.replicaCount = static_cast<int>(info.replica_count());
    now_.backend = info.backend();
    now_.device = info.device();
    now_.classNames.assign(info.class_names().begin(), info.class_names().end());
    now_.imageWidth = static_cast<int>(info.image_width());
    now_.imageHeight = static_cast<int>(info.image_height());
    replicas_.setTotalSteps(now_.totalSteps);
    if (info.amends()) return;
    if (now_.startedWallTime == 0) now_.startedWallTime = wallTime;
    if (now_.starts.empty() || ended()) beginStart(wallTime, ended());
    now_.starts.back().firstStep = now_.firstStep;
    now_.starts.back().replicas = now_.replicaCount;

    scalars_.goBack(now_.firstStep);
    forgetEnding();
    rate_.clear();
    startWallTime_ = 0;
    const config::JobSpec job = config::JobDocument::lenient(info.job_toml(), "job.toml").spec();
    ownProgram_ = job.launch.runsOwnProgram();
    if (!info.job_toml().empty())
        replicas_.setHeartbeatTimeout(job.cluster.heartbeatTimeoutSeconds);
    replicas_.beginTraining(now_.firstStep, now_.replicaCount, job.cluster.evaluator);
    updateSentence();
}

/// `isResume`: the run stood still before it.
void RunFold::beginStart(double wallTime, bool isResume) {
    if (ended())
        formerSeconds_ = now_.ranSeconds;
    else if (isResume)  // it was cut off
        formerSeconds_ += std::max(0.0, previousWallTime_ - launchedWallTime_);
    if (isResume || now_.starts.empty()) launchedWallTime_ = wallTime;
    now_.starts.push_back({wallTime, replicas_.completedSteps(), 0});
    now_.formerFailures = now_.failures.size();
    replicas_.beginStart();
}

/// A start whose process 0 says nothing of it (a program's may not), or whose word is lost: it goes
/// on as the one before, behind what all have done.
void RunFold::assumeTraining(double saidAt, double patience) {
    if (now_.starts.empty() || now_.starts.back().replicas > 0) return;
    if (saidAt - now_.starts.back().wallTime > patience)
        now_.starts.back().replicas = now_.replicaCount;
}

/// Another start of the run: what the former one ended with is history.
void RunFold::forgetEnding() {
    now_.endedWallTime = 0;
    now_.exitStatus = -1;
    now_.error.clear();
    now_.remedy.clear();
    now_.summaryJson.clear();
    applyVerdict({}, 0);
}

void RunFold::applyState(const wire::RunStateChange& change, double wallTime) {
    const RunState before = std::exchange(now_.state, stateOf(change.state(), now_.state));
    const auto isStarting = [](RunState state) {
        return state == RunState::Launching || state == RunState::Restarting;
    };
    if (isStarting(now_.state) && (now_.starts.empty() || !isStarting(before)))
        beginStart(wallTime, now_.state == RunState::Launching && !now_.starts.empty());
    if (now_.state == RunState::Launching) forgetEnding();  // the first word of every start
    if (now_.state == RunState::Training) replicas_.dropUnregistered();
    if (now_.state == RunState::Stopping) replicas_.setStopping(true);
    stateSentence_ = change.sentence();
    const bool isFresh = now_.state == RunState::Completed || now_.state == RunState::Stopped ||
                         now_.state == RunState::Restarting;
    isFresh ? applyVerdict({}, 0) : updateSentence();
}

void RunFold::applySteps(const wire::StepBatch& batch) {
    if (!isWellFormed(batch)) return;
    assumeTraining(endOf(batch), kUnknownStart);
    replicas_.apply(batch);
    steps_.add(batch, newestStart(), clock_.firstEnd(batch));
    newestStepWallTime_ = std::max(newestStepWallTime_, endOf(batch));
    const std::int64_t completed = replicas_.completedSteps();
    rate_.add(newestStepWallTime_, completed, nowWall_);
    if (startWallTime_ == 0) {
        startWallTime_ = newestStepWallTime_;
        startStep_ = completed;
    }
}

void RunFold::applyScalars(const wire::ScalarBatch& batch, double wallTime) {
    assumeTraining(wallTime, kUnknownStart);
    const std::size_t nameless = scalars_.add(batch, newestStart());
    if (nameless == 0 || std::exchange(saidNameless_, true)) return;
    LogEntry entry;
    entry.wallTime = wallTime;
    entry.role = Role::Agent;
    entry.level = 2;
    entry.text =
        "values of a figure are left out: the record with its name is damaged or missing (said "
        "once)";
    addLog(entry);
}

void RunFold::applyHeartbeat(const wire::Heartbeat& heartbeat, double wallTime, double sharedTime) {
    // History is judged by when it was sent; what comes live, by when it came.
    replicas_.apply(heartbeat, isLive() ? nowWall_ : sharedTime);
    arrivals_.heartbeats.push_back(markOf(heartbeat, wallTime));
}

void RunFold::applyFigures(const wire::ProcessFigures& figures, double sharedTime) {
    replicas_.apply(figures);
    LoadMark mark = loadOf(figures, sharedTime);
    mark.host = replicas_.hostOf(mark.role, mark.processId);
    if (mark.host.empty()) return;  // it never registered
    loadWeight_ += weightOf(mark);
    arrivals_.loads.push_back(std::move(mark));
}

void RunFold::applyEpoch(const wire::EpochResult& epoch, double sharedTime) {
    // An epoch that is run again after a restart replaces its first run.
    EpochView view = epochOf(epoch);
    view.sharedTime = sharedTime;
    std::erase_if(now_.epochResults,
                  [&](const EpochView& before) { return before.epoch >= view.epoch; });
    now_.epochResults.push_back(view);
}

void RunFold::applyEvaluation(const wire::Evaluation& evaluation, double wallTime) {
    // After a resume the evaluator scores what it finds again: the same score, said once. What was
    // not scored is said of validation; a score on other data stands for it where there is none.
    EvaluationView scored = evaluationOf(evaluation, wallTime);
    pictures_.share(scored);
    const auto view = std::make_shared<const EvaluationView>(std::move(scored));
    const auto validates = [](const auto& one) {
        return one->error.empty() && one->split == "validation";
    };
    const bool hasValidation = validates(view) || std::ranges::any_of(now_.evaluations, validates);
    std::erase_if(now_.evaluations, [&](const auto& before) {
        return before->step == view->step &&
               (before->split == view->split || (!before->error.empty() && !hasValidation));
    });
    if (view->error.empty()) replicas_.score(view->step);
    now_.evaluations.push_back(view);
}

void RunFold::applyCheckpoint(const wire::CheckpointEvent& event, double wallTime,
                              double sharedTime) {
    CheckpointView view = checkpointOf(event, wallTime);
    view.sharedTime = sharedTime;
    std::erase_if(now_.checkpoints, [&](const CheckpointView& before) {
        return before.step == view.step && before.error.empty() == view.error.empty();
    });
    now_.checkpoints.push_back(view);
}

void RunFold::applyFailure(const wire::Failure& failure, double wallTime) {
    replicas_.apply(failure);
    now_.failures.push_back(failureOf(failure, wallTime));
}

void RunFold::applyVerdict(const wire::Verdict& verdict, double wallTime) {
    verdict_ = verdict.sentence();
    const int formerSeverity = now_.verdictSeverity;
    verdictHold_ = verdict.hold();
    const std::vector<int> before(std::move(verdictProcesses_));
    verdictProcesses_.assign(verdict.processes().begin(), verdict.processes().end());
    const std::uint32_t severity =
        verdict.slow() ? kSeveritySlow : std::min(verdict.severity(), kSeveritySlow);
    now_.verdictSeverity = verdict_.empty() ? 0 : static_cast<int>(severity);
    now_.stuckEnd = {verdict.ends_at(), verdict.restarts()};
    const bool isSlow = now_.verdictSeverity == int{kSeveritySlow};
    // The same one comes again with another time, or price, in its words: also on the timeline.
    const bool isSame = now_.verdictSeverity == formerSeverity && verdictProcesses_ == before;
    const bool isKept = !verdict_.empty() && severity != kSeverityLost && !isSame;
    if (isKept)
        keepVerdict({replicas_.completedSteps(), now_.verdictSeverity, verdictProcesses_, verdict_,
                     wallTime});
    const bool accuses = isSlow || severity == kSeverityStuck;
    replicas_.setAccused(accuses && !verdict_.empty() ? verdictProcesses_ : std::vector<int>(),
                         {verdict.replicas().begin(), verdict.replicas().end()}, isSlow);
    updateSentence();
}

/// Silences come and go by themselves: where there is no room, the oldest of them makes way.
void RunFold::keepVerdict(VerdictView verdict) {
    std::vector<VerdictView>& kept = now_.verdicts;
    if (kept.size() == kMostVerdicts) {
        ++now_.verdictsLeftOut;
        const auto silence = std::ranges::find(kept, kSeveritySilent, &VerdictView::severity);
        if (silence == kept.end()) return;
        kept.erase(silence);
    }
    kept.push_back(std::move(verdict));
}

/// All that is known of it comes every time; what is new is said among the log lines, too.
void RunFold::applyDrill(const wire::Drill& drill, double wallTime) {
    const auto view = drillOf(drill);
    if (!view) return;  // a kind of a newer version
    const auto known = std::ranges::find(now_.drills, view->order.id,
                                         [](const DrillView& one) { return one.order.id; });
    if (known == now_.drills.end())
        now_.drills.push_back(*view);
    else
        *known = *view;
    constexpr int kWarning = 2;
    addLog({wallTime, view->order.processId, Role::Worker, kWarning, "drill: " + view->sentence});
}

void RunFold::applyEnd(const wire::RunEnd& end, double wallTime) {
    now_.summaryJson = end.summary_json();
    if (const auto missing = textIn(end.summary_json(), "missing_records")) addMissing(*missing);
    if (end.status() == "completed") return finish(RunState::Completed, kExitDone, wallTime);
    if (end.status() == "stopped") return finish(RunState::Stopped, kExitStopped, wallTime);
    now_.error = end.error();
    now_.remedy = end.remedy();
    if (now_.error.empty())
        now_.error = now_.failures.size() == now_.formerFailures
                         ? stateSentence_
                         : nameFailure(now_.failures[now_.formerFailures]);
    const int exitStatus = end.exit_status() == kExitBadInput ? kExitBadInput : kExitFailed;
    finish(RunState::Failed, exitStatus, wallTime);
}

void RunFold::finish(RunState state, int exitStatus, double wallTime) {
    now_.state = state;
    now_.exitStatus = exitStatus;
    assumeTraining(newestStepWallTime_, 0);
    now_.endedWallTime = std::max(wallTime, now_.startedWallTime);
    if (launchedWallTime_ > 0)
        now_.ranSeconds = formerSeconds_ + std::max(0.0, now_.endedWallTime - launchedWallTime_);
    // Who had fallen silent by then is not among those that left.
    judge(isLive() ? nowWall_ : previousWallTime_);
    replicas_.end();
    updateSentence();
}

void RunFold::setEnding(const Ending& ending) {
    changed_ = true;
    now_.error = ending.error;
    now_.remedy = ending.remedy;
    if (!ending.error.empty()) stateSentence_ = ending.error;
    const RunState state = ending.exitStatus == kExitDone      ? RunState::Completed
                           : ending.exitStatus == kExitStopped ? RunState::Stopped
                                                               : RunState::Failed;
    finish(state, ending.exitStatus, std::max(newestWallTime_, nowWall_));
}

void RunFold::endOfJournal(const std::string& summaryJson, const std::string& problem) {
    if (ended()) return;
    if (const auto status = textIn(summaryJson, "status")) {
        changed_ = true;
        addMissing("the end of the journal is missing; how the run ended is from its summary");
        wire::RunEnd end;
        end.set_status(*status);
        end.set_summary_json(summaryJson);
        stateSentence_ = end.status();
        return applyEnd(end, newestWallTime_);
    }
    if (!problem.empty())
        return setEnding({kExitFailed,
                          "how the run ended is not known: its journal stops without an end, and "
                          "its summary cannot be read: " +
                              problem,
                          "See summary.json in its folder."});
    setEnding(cutOffEnding(now_.jobToml));
}

void RunFold::addMissing(const std::string& sentence) {
    changed_ = true;
    if (now_.missing.find(sentence) != std::string::npos) return;
    now_.missing += (now_.missing.empty() ? "" : "; ") + sentence;
}

void RunFold::setStoredCheckpoints(const std::set<std::string>& names) {
    for (CheckpointView& checkpoint : now_.checkpoints) {
        if (!checkpoint.error.empty()) continue;
        const bool isThere =
            names.contains(std::filesystem::path(checkpoint.path).filename().string());
        const bool isKept = isThere && names.contains(checkpoint::keptMarkName(checkpoint.step));
        changed_ |= std::exchange(checkpoint.deleted, !isThere) == isThere;
        changed_ |= std::exchange(checkpoint.kept, isKept) != isKept;
    }
}

std::shared_ptr<const RunView> RunFold::view() {
    if (!changed_ && published_ != nullptr) return published_;
    changed_ = false;
    ++now_.revision;
    auto copy = std::make_shared<RunView>(now_);
    copy->replicas = replicas_.views();
    copy->replicasAlive = replicas_.aliveWorkers();
    addLosses(*copy);
    published_ = std::move(copy);
    return published_;
}

Arrivals RunFold::takeArrivals() {
    Arrivals taken = std::exchange(arrivals_, {});
    loadWeight_ = 0;
    taken.steps = steps_.take();
    taken.scalars = scalars_.take();
    return taken;
}

std::size_t RunFold::arrivalCount() const {
    return steps_.size() + scalars_.size() + arrivals_.heartbeats.size() + loadWeight_ +
           arrivals_.logs.size();
}

}  // namespace lockstep::job
