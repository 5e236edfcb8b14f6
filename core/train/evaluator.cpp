// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>
#include <thread>
#include <tuple>

#include "core/base/record_clock.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/config/job/monitor.h"
#include "core/coordination/client/checkpoint_link.h"
#include "core/coordination/client/scoring_link.h"
#include "core/coordination/exchange/key_value_store.h"
#include "core/telemetry/scalar_recorder.h"
#include "core/train/checkpoints/checkpoint_place.h"
#include "core/train/checkpoints/resume_check.h"
#include "core/train/checkpoints/state_tensors.h"
#include "core/train/evaluator_place.h"
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
constexpr std::chrono::seconds kFlushTimeout{30};
constexpr int kNiceness = 10;
constexpr const char* kValidationFigures = "evaluator/";
constexpr const char* kTestFigures = "evaluator/test_";

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
          scoring_(member.client()),
          checkpoints_(placeOfCheckpoints()),
          parameters_(context.network.parameterCount()),
          statistics_(context.network.statisticsCount()) {
        introduceFigures();
    }

    Result<void> run();

private:
    std::unique_ptr<CheckpointPlace> placeOfCheckpoints();
    Result<void> work();
    void pause();
    void scoreCheckpoint(std::int64_t step);
    Result<wire::Evaluation> score(std::int64_t step);
    Result<void> restore(std::int64_t step);
    bool scoreTest(const std::set<std::int64_t>& tested);
    Result<std::int64_t> stepOfTheResult();
    wire::Evaluation scoreSplit(const data::Split& split, const std::string& name,
                                std::int64_t step, std::int64_t epoch);
    void introduceFigures();
    void tellFigures(const wire::Evaluation& evaluation);
    void send(const wire::Evaluation& evaluation);
    void sendFailure(std::int64_t step, const std::string& split, const Error& error);
    void enter(wire::Phase phase) { member_.progress(0).enter(phase, SteadyClock::read()); }

    const wire::WorkerConfig& config_;
    const JobContext& context_;
    Member& member_;
    SplitEvaluator evaluator_;
    coordination::CheckpointLink link_;
    coordination::ScoringLink scoring_;
    std::unique_ptr<CheckpointPlace> checkpoints_;
    std::vector<float> parameters_;
    std::vector<float> statistics_;
    telemetry::ScalarRecorder figures_{wire::ROLE_EVALUATOR, telemetry::kWholeJob};
    std::int64_t loadedStep_ = -1;  ///< Whose weights `parameters_` holds.
    std::int64_t loadedEpoch_ = 0;
    std::string endStatus_;  ///< As the chief left; empty while the run goes on.
};

/// In the run folder where this host sees it, else over the coordinator's connection: then into a
/// folder of its own, as another evaluator on the host may fetch the same one.
std::unique_ptr<CheckpointPlace> Evaluator::placeOfCheckpoints() {
    const auto checkpoints = std::filesystem::path(config_.run_dir()) / "checkpoints";
    if (!config_.fetch_checkpoints()) return placeInFolder(checkpoints);
    return placeBehindSource(link_, checkpoints / fmt::format("evaluator-{}", config_.process_id()),
                             [this] { return member_.aborted(); });
}

Result<void> Evaluator::run() {
    flushDenormals();
    enter(wire::PHASE_WAITING);
    auto worked = work();
    // The connection may be seen to end before its reason is heard: leaving says which it was.
    const bool isOver =
        member_.aborted() || (!worked && worked.error().code == ErrorCode::PeerLost);
    if (!worked && !isOver) return worked;
    enter(wire::PHASE_DONE);
    return member_.client().leave("completed", "", kLeaveTimeout);
}

/// Takes what the coordinator hands out, until nothing comes any more.
Result<void> Evaluator::work() {
    bool nothingToTest = false;
    while (!member_.aborted()) {
        const auto work = scoring_.askWork(nothingToTest);
        if (!work && work.error().code == ErrorCode::Timeout) continue;
        if (!work) return fail(work.error());
        nothingToTest = false;
        if (work->over) return {};
        if (work->step > 0)
            scoreCheckpoint(work->step);
        else if (work->test)
            nothingToTest = !scoreTest(work->tested);
        else
            pause();
    }
    return {};
}

/// Until the next look; the coordinator answers at once when the training ends.
void Evaluator::pause() {
    if (!endStatus_.empty()) return std::this_thread::sleep_for(kPollInterval);
    const auto ended = member_.client().get(std::string(coordination::kRunEndedKey), kPollInterval);
    if (ended) endStatus_ = *ended;
}

void Evaluator::scoreCheckpoint(std::int64_t step) {
    enter(wire::PHASE_EVALUATE);
    if (const auto evaluation = score(step))
        send(*evaluation);
    else
        sendFailure(step, "validation", evaluation.error());
    member_.progress(0).completeStep(static_cast<std::uint64_t>(step));
    enter(wire::PHASE_WAITING);
}

Result<wire::Evaluation> Evaluator::score(std::int64_t step) {
    TRY(restore(step));
    const bool hasValidation = context_.data.validation->count > 0;
    return scoreSplit(hasValidation ? *context_.data.validation : *context_.data.test,
                      hasValidation ? "validation" : "test", loadedStep_, loadedEpoch_);
}

/// A score on other data than was trained on would be one of nothing.
Result<void> Evaluator::restore(std::int64_t step) {
    if (step == loadedStep_) return {};
    loadedStep_ = -1;  // whatever fails, the buffers hold no checkpoint
    const auto checkpoint =
        TRY(loadPatiently(*checkpoints_, step, [this] { return member_.aborted(); }));
    TRY(checkSameData(checkpoint.state, context_.data));
    TRY(restoreModel(context_.network, checkpoint, parameters_, statistics_));
    loadedStep_ = step;
    loadedEpoch_ = checkpoint.state.epoch;
    return {};
}

/// The checkpoint whose weights the run ended with.
Result<std::int64_t> Evaluator::stepOfTheResult() {
    if (endStatus_ == "completed" && config::restoresBest(context_.job)) {
        if (auto best = checkpoints_->best()) return best;
    }
    return checkpoints_->latest();
}

/// False where there is nothing to score: the run ended before its first checkpoint, or it has been
/// scored by a former start.
bool Evaluator::scoreTest(const std::set<std::int64_t>& tested) {
    if (endStatus_.empty() || endStatus_ == "unknown")
        endStatus_ = member_.client()
                         .get(std::string(coordination::kRunEndedKey), kFlushTimeout)
                         .value_or("unknown");
    const auto step = stepOfTheResult();
    if (!step || tested.contains(*step) || context_.data.test->count == 0) return false;
    enter(wire::PHASE_EVALUATE);
    if (const auto restored = restore(*step))
        send(scoreSplit(*context_.data.test, "test", loadedStep_, loadedEpoch_));
    else
        sendFailure(*step, "test", restored.error());
    enter(wire::PHASE_WAITING);
    return true;
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

/// All evaluators of the job count them in this order.
void Evaluator::introduceFigures() {
    auto names = context_.objective.metrics().names();
    names.emplace_back(kNotFiniteFigure);
    for (const char* before : {kValidationFigures, kTestFigures})
        for (const std::string& name : names)
            figures_.introduce(before + name);
}

/// Metrics are curves beside the evaluator's loss and accuracy.
void Evaluator::tellFigures(const wire::Evaluation& evaluation) {
    const std::string before = evaluation.split() == "test" ? kTestFigures : kValidationFigures;
    for (const wire::NamedFigure& figure : evaluation.figures())
        figures_.add(before + figure.name(), evaluation.step(), recordSeconds(), figure.value());
    std::vector<wire::Record> records;
    figures_.take(records);
    for (wire::Record& record : records)
        if (auto sent = member_.client().sendRecord(std::move(record)); !sent)
            std::fprintf(stderr, "warning: not journalled: %s\n", sent.error().message.c_str());
}

void Evaluator::sendFailure(std::int64_t step, const std::string& split, const Error& error) {
    wire::Evaluation failed;
    failed.set_step(static_cast<std::uint64_t>(step));
    failed.set_split(split);
    failed.set_error(error.message);
    send(failed);
}

/// It counts as done once the coordinator has it.
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
    record.mutable_evaluation()->set_evaluator(config_.process_id());
    auto sent = member_.client().sendRecord(std::move(record));
    if (!sent && evaluation.error().empty())  // else it would be handed out again for ever
        return sendFailure(static_cast<std::int64_t>(evaluation.step()), evaluation.split(),
                           sent.error());
    // Not asked for more before: the question is not numbered, and could come first.
    while (sent) {
        sent = member_.client().flush(kFlushTimeout);
        if (sent || sent.error().code != ErrorCode::Timeout || member_.aborted()) break;
        sent = {};
    }
    if (!sent) std::fprintf(stderr, "warning: not journalled: %s\n", sent.error().message.c_str());
}

}  // namespace

Result<void> runEvaluator(const wire::WorkerConfig& config, TerminationWatch* termination) {
    // Where there are fewer processors than processes, training goes first.
    std::ignore = ::setpriority(PRIO_PROCESS, 0, kNiceness);
    auto job = TRY(jobOf(config));
    auto context = TRY(makeJobContext(job, config.job_dir()));
    wire::Register self;
    self.set_replicas(1);
    auto member = TRY(Member::join(config, job, std::move(self), termination));
    const auto device = tensor::openCpuDevice();
    const auto place = placeOfEvaluator(job, config.process_id());
    auto evaluator =
        place ? SplitEvaluator::make(*device, context->network, context->objective, *place)
              : Result<SplitEvaluator>(fail(place.error()));
    if (place && place->gpu) std::fprintf(stderr, "note: evaluating on gpu:%d\n", *place->gpu);
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
