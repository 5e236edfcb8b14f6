// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/evaluation.h"

#include <algorithm>
#include <numeric>

#include "core/base/try.h"
#include "core/data/prefetch.h"
#include "core/program/compile.h"
#include "core/tensor/cpu/operations.h"
#include "core/train/replica/batch_floats.h"

namespace lockstep::train {

program::Program SplitEvaluator::programFor(const program::Network& network) {
    constexpr std::size_t kOutputFloats = std::size_t{4} << 20;
    const auto compiled = [&network](std::size_t rows) {
        return program::compile(network.graph(), static_cast<std::int64_t>(rows),
                                program::Program::Mode::Evaluation);
    };
    const auto bytesOf = [&network](const program::Program& program) {
        const auto samples = static_cast<std::size_t>(program.maxBatch) * network.inputFeatures();
        return (static_cast<std::size_t>(program.arenaFloats) + samples) * sizeof(float);
    };
    std::size_t rows =
        std::clamp<std::size_t>(kOutputFloats / network.outputFeatures(), 1, kMostRows);
    program::Program program = compiled(rows);
    while (rows > 1 && bytesOf(program) > kMostBytes) {
        const std::size_t fitting = rows * kMostBytes / bytesOf(program);
        rows = std::clamp<std::size_t>(fitting, 1, rows - 1);
        program = compiled(rows);
    }
    return program;
}

SplitEvaluator::SplitEvaluator(const program::Network& network, const Objective& objective,
                               std::unique_ptr<program::Executor> executor, std::uint32_t batch)
    : network_(&network),
      objective_(&objective),
      executor_(std::move(executor)),
      batch_(batch),
      indices_(batch),
      probabilities_(network.outputFeatures()) {}

Result<SplitEvaluator> SplitEvaluator::make(tensor::Device& device, const program::Network& network,
                                            const Objective& objective, const ProgramPlace& place) {
    program::Program program = programFor(network);
    const auto batch = static_cast<std::uint32_t>(program.maxBatch);
    auto executor = TRY(makeExecutor(device, place, std::move(program)));
    SplitEvaluator evaluator(network, objective, std::move(executor), batch);
    evaluator.samples_ = TRY(device.allocate(batch * network.inputFeatures() * sizeof(float)));
    return evaluator;
}

Result<void> SplitEvaluator::forEachBatch(const Weights& weights, const data::Split& split,
                                          std::uint32_t first, std::uint32_t count,
                                          const std::atomic<bool>* stop, const Visit& visit) {
    program::NoReplicaSum alone;
    const std::uint32_t end = first + count;
    while (first < end && (stop == nullptr || !stop->load(std::memory_order_relaxed))) {
        const std::uint32_t rows = std::min(batch_, end - first);
        std::iota(indices_.begin(), indices_.begin() + rows, first);
        inputs_.resize(rows * split.bytesPerSample());
        storedTargets_.resize(rows * split.bytesPerTarget());
        data::gather(split, std::span(indices_).first(rows), inputs_.data(), storedTargets_.data());
        const auto samples = samples_.as<float>().first(rows * network_->inputFeatures());
        fillFloats(split.inputKind, inputs_, samples);
        const auto outputs = TRY(executor_->forward({.samples = samples, .rows = rows},
                                                    weights.parameters, weights.statistics, alone));
        visit({first, rows, outputs, targets_.take(split.targetKind, storedTargets_)});
        first += rows;
    }
    return {};
}

Result<SplitScore> SplitEvaluator::score(const Weights& weights, const data::Split& split,
                                         std::uint32_t first, std::uint32_t count,
                                         const std::atomic<bool>* stop, CollectivePlace* place) {
    SplitScore score;
    score.metrics.resize(objective_->metrics().size());
    TRY(forEachBatch(weights, split, first, count, stop, [&](const Computed& batch) {
        objective_->add(batch.outputs, batch.targets, Objective::Use::Scoring, 1, {}, score);
        score.rows += batch.rows;
        if (place != nullptr) place->reachPoint();
    }));
    return score;
}

SplitEvaluator::Prediction SplitEvaluator::predictionOf(std::span<const float> outputs,
                                                        std::int32_t truth) {
    const bool isBinary = objective_->task().output == config::Task::Output::BinaryLogits;
    const float logits[] = {0, outputs[0]};  // whose softmax is that one's sigmoid
    const auto row = isBinary ? std::span<const float>(logits) : outputs;
    probabilities_.resize(row.size());
    const std::int32_t predicted = tensor::softmax(row, probabilities_);
    return {predicted, probabilities_[static_cast<std::size_t>(predicted)],
            probabilities_[static_cast<std::size_t>(truth)]};
}

Result<std::vector<std::uint16_t>> SplitEvaluator::continueText(
    const Weights& weights, std::span<const std::uint16_t> prompt,
    const GenerationOptions& options) {
    const std::size_t positions = network_->inputFeatures();
    const std::size_t vocabulary = network_->outputFeatures() / positions;
    program::NoReplicaSum alone;
    const auto sample = samples_.as<float>().first(positions);
    const auto next = [&](std::span<const std::uint16_t> seen) -> Result<std::span<const float>> {
        std::ranges::fill(sample, 0.0F);  // behind the last token nothing is looked at
        std::ranges::copy(seen, sample.begin());
        const auto outputs = TRY(executor_->forward({.samples = sample, .rows = 1},
                                                    weights.parameters, weights.statistics, alone));
        return std::span<const float>(outputs.subspan((seen.size() - 1) * vocabulary, vocabulary));
    };
    return continueTokens(prompt, positions, options, next);
}

}  // namespace lockstep::train
