// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <filesystem>
#include <tuple>

#include "core/base/thread.h"
#include "core/checkpoint/follower.h"
#include "core/train/evaluation.h"
#include "core/train/job_context.h"
#include "core/train/member.h"
#include "core/train/state_tensors.h"
#include "core/train/telemetry_sender.h"
#include "core/train/worker.h"

namespace lockstep::train {

namespace {

constexpr std::size_t kSamplesShown = 24;
constexpr Millis kPollInterval{200};
constexpr std::chrono::seconds kLeaveTimeout{30};
constexpr int kNiceness = 10;
constexpr const char* kRunEndedKey = "run/ended";

/// The evaluator from its membership on.
class Evaluator {
public:
    Evaluator(const wire::WorkerConfig& config, const JobContext& context, Member& member,
              SplitEvaluator evaluator)
        : context_(context),
          member_(member),
          evaluator_(std::move(evaluator)),
          follower_(std::filesystem::path(config.run_dir()) / "checkpoints", {}),
          parameters_(context.network.parameterCount()) {}

    Result<void> run();

private:
    bool scoreNext();
    bool runHasEnded();
    wire::Evaluation score(const checkpoint::CheckpointFollower::Found& found);
    wire::Evaluation scoreSplit(const data::Split& split, const std::string& name,
                                std::int64_t step, std::int64_t epoch);
    void send(const wire::Evaluation& evaluation);
    void enter(wire::Phase phase) { member_.progress(0).enter(phase, SteadyClock::read()); }

    const JobContext& context_;
    Member& member_;
    SplitEvaluator evaluator_;
    checkpoint::CheckpointFollower follower_;
    std::vector<float> parameters_;
    std::int64_t newestStep_ = -1;
    std::int64_t newestEpoch_ = 0;
};

Result<void> Evaluator::run() {
    flushDenormals();
    enter(wire::PHASE_WAITING);
    bool ended = false;
    while (!member_.aborted()) {
        if (scoreNext()) continue;
        if (ended) break;  // what was committed before the end has been scored
        ended = runHasEnded();
    }
    if (newestStep_ >= 0 && !member_.aborted())
        send(scoreSplit(*context_.data.test, "test", newestStep_, newestEpoch_));
    enter(wire::PHASE_DONE);
    return member_.client().leave("completed", "", kLeaveTimeout);
}

bool Evaluator::scoreNext() {
    const auto found = follower_.poll(SteadyClock::read());
    if (!found) return false;
    enter(wire::PHASE_EVALUATE);
    send(score(*found));
    member_.progress(0).completeStep(static_cast<std::uint64_t>(found->step));
    enter(wire::PHASE_WAITING);
    return true;
}

/// Also the pause between two looks: the coordinator answers at once when the run ends.
bool Evaluator::runHasEnded() {
    auto ended = member_.client().get(kRunEndedKey, kPollInterval);
    return ended.has_value() || ended.error().code != ErrorCode::Timeout;
}

wire::Evaluation Evaluator::score(const checkpoint::CheckpointFollower::Found& found) {
    wire::Evaluation failed;
    failed.set_step(static_cast<std::uint64_t>(found.step));
    failed.set_split("validation");
    if (!found.content) {
        failed.set_error(found.content.error().message);
        return failed;
    }
    if (auto restored = restoreModel(context_.network, *found.content, parameters_); !restored) {
        failed.set_error(restored.error().message);
        return failed;
    }
    newestStep_ = found.step;
    newestEpoch_ = found.content->state.epoch;
    const bool hasValidation = context_.data.validation->count > 0;
    return scoreSplit(hasValidation ? *context_.data.validation : *context_.data.test,
                      hasValidation ? "validation" : "test", newestStep_, newestEpoch_);
}

wire::Evaluation Evaluator::scoreSplit(const data::Split& split, const std::string& name,
                                       std::int64_t step, std::int64_t epoch) {
    auto scored = evaluator_.evaluate(parameters_, split, kSamplesShown);
    wire::Evaluation evaluation = scored ? std::move(*scored) : wire::Evaluation();
    if (!scored) evaluation.set_error(scored.error().message);
    evaluation.set_step(static_cast<std::uint64_t>(step));
    evaluation.set_epoch(static_cast<std::uint32_t>(epoch));
    evaluation.set_split(name);
    return evaluation;
}

void Evaluator::send(const wire::Evaluation& evaluation) {
    if (evaluation.error().empty())
        std::fprintf(stderr, "step %llu: %s loss %.4f, accuracy %.4f\n",
                     static_cast<unsigned long long>(evaluation.step()), evaluation.split().c_str(),
                     evaluation.loss(), evaluation.accuracy());
    else
        std::fprintf(stderr, "warning: step %llu was not scored: %s\n",
                     static_cast<unsigned long long>(evaluation.step()),
                     evaluation.error().c_str());
    wire::Record record;
    *record.mutable_evaluation() = evaluation;
    if (auto sent = member_.client().sendRecord(std::move(record)); !sent)
        std::fprintf(stderr, "warning: not journalled: %s\n", sent.error().message.c_str());
}

}  // namespace

Result<void> runEvaluator(const wire::WorkerConfig& config) {
    // Where there are fewer processors than processes, training goes first.
    std::ignore = ::setpriority(PRIO_PROCESS, 0, kNiceness);
    auto job = jobOf(config);
    if (!job) return fail(job.error());
    auto context = makeJobContext(*job, config.job_dir());
    if (!context) return fail(context.error());
    auto member = Member::join(config, *job, 1);
    if (!member) return fail(member.error());
    const auto device = tensor::openCpuDevice();
    auto evaluator = SplitEvaluator::make(*device, (*context)->network);
    Result<void> done;
    if (evaluator) {
        const TelemetrySender sender((*member)->client(), {}, config.process_id(),
                                     wire::ROLE_EVALUATOR);
        done = Evaluator(config, **context, **member, std::move(*evaluator)).run();
    } else {
        done = fail(evaluator.error());
    }
    if (!done) (*member)->report(done.error());
    return done;
}

}  // namespace lockstep::train
