// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>
#include <tuple>

#include "core/base/record_clock.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/config/job/monitor.h"
#include "core/coordination/client/checkpoint_link.h"
#include "core/coordination/exchange/key_value_store.h"
#include "core/telemetry/scalar_recorder.h"
#include "core/train/checkpoints/checkpoint_feed.h"
#include "core/train/checkpoints/resume_check.h"
#include "core/train/checkpoints/scored_steps.h"
#include "core/train/checkpoints/start_point.h"
#include "core/train/checkpoints/state_tensors.h"
#include "core/train/checkpoints/unscored_checkpoints.h"
#include "core/train/member.h"
#include "core/train/replica/evaluation.h"
#include "core/train/replica/evaluation_report.h"
#include "core/train/replica/job_context.h"
#include "core/train/telemetry_sender.h"
#include "core/train/worker.h"

namespace lockstep::train {

namespace {

constexpr std::size_t kSamplesShown = 24;
constexpr Millis kPollInterval{200};
constexpr std::chrono::seconds kLeaveTimeout{30};
constexpr int kNiceness = 10;

/// "step 500: validation loss 0.1234, accuracy 0.9876".
std::string sentenceOf(const wire::Evaluation& evaluation) {
    std::string text = fmt::format("step {}: {} loss {:.4f}", evaluation.step(), evaluation.split(),
                                   evaluation.loss());
    if (!std::isnan(evaluation.accuracy()))
        text += fmt::format(", accuracy {:.4f}", evaluation.accuracy());
    for (const wire::NamedFigure& figure : evaluation.figures())
        text += fmt::format(", {} {:.5g}", figure.name(), figure.value());
    return text;
}

/// The evaluator from its membership on.
class Evaluator {
public:
    Evaluator(const wire::WorkerConfig& config, const JobContext& context, Member& member,
              SplitEvaluator evaluator)
        : config_(config),
          context_(context),
          member_(member),
          evaluator_(std::move(evaluator)),
          link_(member.client()),
          feed_(makeFeed()),
          parameters_(context.network.parameterCount()),
          statistics_(context.network.statisticsCount()) {}

    Result<void> run();

private:
    std::unique_ptr<CheckpointFeed> makeFeed();
    void skipScored();
    bool scoreNext();
    bool runHasEnded();
    wire::Evaluation score(const CheckpointFeed::Found& found);
    Result<void> restore(const checkpoint::LoadedCheckpoint& checkpoint);
    void scoreTest();
    Result<std::int64_t> stepOfTheResult();
    wire::Evaluation scoreSplit(const data::Split& split, const std::string& name,
                                std::int64_t step, std::int64_t epoch);
    void tellFigures(const wire::Evaluation& evaluation);
    void send(const wire::Evaluation& evaluation);
    void enter(wire::Phase phase) { member_.progress(0).enter(phase, SteadyClock::read()); }

    const wire::WorkerConfig& config_;
    const JobContext& context_;
    Member& member_;
    SplitEvaluator evaluator_;
    coordination::CheckpointLink link_;
    std::unique_ptr<CheckpointFeed> feed_;
    std::vector<float> parameters_;
    std::vector<float> statistics_;
    telemetry::ScalarRecorder figures_{wire::ROLE_EVALUATOR, telemetry::kWholeJob};
    std::int64_t loadedStep_ = -1;  ///< Whose weights `parameters_` holds.
    std::int64_t loadedEpoch_ = 0;
    std::string endStatus_;          ///< As the chief left; empty while the run goes on.
    std::set<std::int64_t> tested_;  ///< Scored on the test data by an earlier life.
};

/// From the run folder where this host sees it, else over the coordinator's connection.
std::unique_ptr<CheckpointFeed> Evaluator::makeFeed() {
    const auto checkpoints = std::filesystem::path(config_.run_dir()) / "checkpoints";
    if (!config_.fetch_checkpoints()) return feedFromFolder(checkpoints);
    return feedFromSource(link_, checkpoints, [this] { return member_.aborted(); });
}

Result<void> Evaluator::run() {
    flushDenormals();
    enter(wire::PHASE_WAITING);
    if (config_.resume()) skipScored();
    bool ended = !endStatus_.empty();
    while (!member_.aborted()) {
        if (scoreNext()) continue;
        if (ended) break;  // what was committed before the end has been scored
        ended = runHasEnded();
    }
    if (!member_.aborted()) scoreTest();
    enter(wire::PHASE_DONE);
    return member_.client().leave("completed", "", kLeaveTimeout);
}

/// What the journal holds of this run's timeline is not scored again.
void Evaluator::skipScored() {
    const Nanos deadline =
        SteadyClock::read() + std::chrono::duration_cast<Nanos>(
                                  Seconds(context_.job.cluster.initializationTimeoutSeconds));
    auto start = announcedStep(member_, kPollInterval);
    while (!start && !member_.aborted() && SteadyClock::read() < deadline && !runHasEnded())
        start = announcedStep(member_, kPollInterval);
    // A run with nothing left to train may have begun and ended between two looks.
    if (!start && !endStatus_.empty()) start = announcedStep(member_, kPollInterval);
    if (!start) return;
    const ScoredSteps scored =
        readScoredSteps(std::filesystem::path(config_.run_dir()) / "journal", *start);
    for (const std::int64_t step : scored.checkpoints)
        feed_->skip(step);
    tested_ = scored.tests;
}

bool Evaluator::scoreNext() {
    const auto found = feed_->poll(SteadyClock::read());
    if (!found) return false;
    enter(wire::PHASE_EVALUATE);
    send(score(*found));
    member_.progress(0).completeStep(static_cast<std::uint64_t>(found->step));
    // The chief's retention waits for this; without it some stay longer than they need to.
    std::ignore = member_.set(kScoredKey, std::to_string(found->step));
    enter(wire::PHASE_WAITING);
    return true;
}

/// Also the pause between two looks: the coordinator answers at once when the run ends.
bool Evaluator::runHasEnded() {
    auto ended = member_.client().get(std::string(coordination::kRunEndedKey), kPollInterval);
    if (!ended && ended.error().code == ErrorCode::Timeout) return false;
    endStatus_ = ended.value_or("unknown");
    return true;
}

wire::Evaluation Evaluator::score(const CheckpointFeed::Found& found) {
    wire::Evaluation failed;
    failed.set_step(static_cast<std::uint64_t>(found.step));
    failed.set_split("validation");
    if (!found.content) {
        failed.set_error(found.content.error().message);
        return failed;
    }
    if (auto restored = restore(*found.content); !restored) {
        failed.set_error(restored.error().message);
        return failed;
    }
    loadedStep_ = found.step;
    loadedEpoch_ = found.content->state.epoch;
    const bool hasValidation = context_.data.validation->count > 0;
    return scoreSplit(hasValidation ? *context_.data.validation : *context_.data.test,
                      hasValidation ? "validation" : "test", loadedStep_, loadedEpoch_);
}

/// A score on other data than was trained on would be one of nothing.
Result<void> Evaluator::restore(const checkpoint::LoadedCheckpoint& checkpoint) {
    TRY(checkSameData(checkpoint.state, context_.data));
    return restoreModel(context_.network, checkpoint, parameters_, statistics_);
}

/// The checkpoint whose weights the run ended with.
Result<std::int64_t> Evaluator::stepOfTheResult() {
    if (endStatus_ == "completed" && config::restoresBest(context_.job)) {
        if (auto best = feed_->best()) return best;
    }
    return feed_->latest();
}

void Evaluator::scoreTest() {
    const auto step = stepOfTheResult();
    if (!step || tested_.contains(*step)) return;  // it ended before its first checkpoint
    if (*step != loadedStep_) {
        auto loaded = feed_->load(*step);
        auto restored = loaded ? restore(*loaded) : Result<void>(fail(loaded.error()));
        if (!restored) {
            wire::Evaluation failed;
            failed.set_step(static_cast<std::uint64_t>(*step));
            failed.set_split("test");
            failed.set_error(restored.error().message);
            return send(failed);
        }
        loadedEpoch_ = loaded->state.epoch;
    }
    send(scoreSplit(*context_.data.test, "test", *step, loadedEpoch_));
}

wire::Evaluation Evaluator::scoreSplit(const data::Split& split, const std::string& name,
                                       std::int64_t step, std::int64_t epoch) {
    auto scored =
        evaluateSplit(evaluator_, {parameters_, statistics_}, context_.data, split, kSamplesShown);
    wire::Evaluation evaluation = scored ? std::move(*scored) : wire::Evaluation();
    if (!scored) evaluation.set_error(scored.error().message);
    evaluation.set_step(static_cast<std::uint64_t>(step));
    evaluation.set_epoch(static_cast<std::uint32_t>(epoch));
    evaluation.set_split(name);
    return evaluation;
}

/// Metrics are curves beside the evaluator's loss and accuracy.
void Evaluator::tellFigures(const wire::Evaluation& evaluation) {
    const std::string before = evaluation.split() == "test" ? "evaluator/test_" : "evaluator/";
    for (const wire::NamedFigure& figure : evaluation.figures())
        figures_.add(before + figure.name(), evaluation.step(), recordSeconds(), figure.value());
    std::vector<wire::Record> records;
    figures_.take(records);
    for (wire::Record& record : records)
        if (auto sent = member_.client().sendRecord(std::move(record)); !sent)
            std::fprintf(stderr, "warning: not journalled: %s\n", sent.error().message.c_str());
}

void Evaluator::send(const wire::Evaluation& evaluation) {
    if (evaluation.error().empty())
        std::fprintf(stderr, "%s\n", sentenceOf(evaluation).c_str());
    else
        std::fprintf(stderr, "warning: step %llu was not scored: %s\n",
                     static_cast<unsigned long long>(evaluation.step()),
                     evaluation.error().c_str());
    tellFigures(evaluation);
    wire::Record record;
    *record.mutable_evaluation() = evaluation;
    if (auto sent = member_.client().sendRecord(std::move(record)); !sent)
        std::fprintf(stderr, "warning: not journalled: %s\n", sent.error().message.c_str());
}

}  // namespace

Result<void> runEvaluator(const wire::WorkerConfig& config) {
    // Where there are fewer processors than processes, training goes first.
    std::ignore = ::setpriority(PRIO_PROCESS, 0, kNiceness);
    auto job = TRY(jobOf(config));
    auto context = TRY(makeJobContext(job, config.job_dir()));
    auto member = TRY(Member::join(config, job, 1));
    const auto device = tensor::openCpuDevice();
    auto evaluator = SplitEvaluator::make(*device, context->network, context->objective);
    Result<void> done;
    if (evaluator) {
        const TelemetrySender sender(member->client(), {}, config.process_id(),
                                     wire::ROLE_EVALUATOR);
        done = Evaluator(config, *context, *member, std::move(*evaluator)).run();
    } else {
        done = fail(evaluator.error());
    }
    if (!done) member->report(done.error());
    return done;
}

}  // namespace lockstep::train
