// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/evaluation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/clock.h"
#include "core/base/try.h"
#include "core/data/prefetch.h"
#include "core/data/sample_preview.h"
#include "core/program/compile.h"
#include "core/tensor/ops.h"
#include "core/train/replica/batch_floats.h"

namespace lockstep::train {

namespace {

using Prediction = SplitEvaluator::Prediction;

void addSample(wire::Evaluation& evaluation, const data::Split& split, std::uint32_t index,
               const Prediction& prediction) {
    wire::SamplePrediction& sample = *evaluation.add_samples();
    sample.set_index(index);
    sample.set_truth(split.label(index));
    sample.set_prediction(static_cast<std::uint32_t>(prediction.predicted));
    sample.set_probability(prediction.probability);
    sample.set_truth_probability(prediction.truthProbability);
    if (split.inputKind != data::InputKind::Pixels) return;
    const auto preview = data::previewOf(split, index);
    sample.set_pixels(preview.data(), preview.size());
}

/// The confusion matrix, and from its rows the accuracy of each class.
void addConfusion(wire::Evaluation& evaluation, const data::Split& split,
                  std::span<const Prediction> predictions, std::size_t classes) {
    std::vector<std::uint32_t> confusion(classes * classes);
    for (std::uint32_t i = 0; i < split.count; ++i)
        ++confusion[split.label(i) * classes + static_cast<std::size_t>(predictions[i].predicted)];
    for (std::size_t truth = 0; truth < classes; ++truth) {
        const auto row = std::span(confusion).subspan(truth * classes, classes);
        const auto count = std::accumulate(row.begin(), row.end(), 0U);
        evaluation.add_per_class_accuracy(
            count > 0 ? static_cast<float>(row[truth]) / static_cast<float>(count) : 0.0F);
    }
    evaluation.mutable_confusion()->Add(confusion.begin(), confusion.end());
}

/// Two thirds the hardest (the smallest probability of the truth first), the rest spread evenly.
std::vector<std::uint32_t> chooseSamples(std::span<const Prediction> predictions,
                                         std::size_t wanted) {
    wanted = std::min(wanted, predictions.size());
    const std::size_t spread = wanted / 3;
    std::vector<std::uint32_t> order(predictions.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto harder = [predictions](std::uint32_t a, std::uint32_t b) {
        const float pa = predictions[a].truthProbability;
        const float pb = predictions[b].truthProbability;
        return pa != pb ? pa < pb : a < b;
    };
    const auto hardest = static_cast<std::ptrdiff_t>(wanted - spread);
    std::partial_sort(order.begin(), order.begin() + hardest, order.end(), harder);
    std::vector<std::uint32_t> chosen(order.begin(), order.begin() + hardest);
    for (std::size_t i = 0; i < spread; ++i)
        chosen.push_back(static_cast<std::uint32_t>(i * predictions.size() / spread));
    return chosen;
}

/// Samples of a batch whose outputs stay within some 16 MiB.
std::uint32_t batchFor(const program::Network& network) {
    constexpr std::size_t kFloats = std::size_t{4} << 20;
    return static_cast<std::uint32_t>(
        std::clamp<std::size_t>(kFloats / network.outputFeatures(), 1, SplitEvaluator::kMostRows));
}

}  // namespace

SplitEvaluator::SplitEvaluator(tensor::Device& device, const program::Network& network,
                               const Objective& objective,
                               std::unique_ptr<program::Executor> executor,
                               std::unique_ptr<tensor::Stream> stream, std::uint32_t batch)
    : device_(&device),
      network_(&network),
      objective_(&objective),
      executor_(std::move(executor)),
      stream_(std::move(stream)),
      batch_(batch),
      indices_(batch),
      probabilities_(network.outputFeatures()) {}

Result<SplitEvaluator> SplitEvaluator::make(tensor::Device& device, const program::Network& network,
                                            const Objective& objective, const ProgramPlace& place) {
    const std::uint32_t batch = batchFor(network);
    auto executor = TRY(
        makeExecutor(device, place,
                     program::compile(network.graph(), batch, program::Program::Mode::Evaluation)));
    auto stream = TRY(device.makeStream());
    SplitEvaluator evaluator(device, network, objective, std::move(executor), std::move(stream),
                             batch);
    evaluator.samples_ = TRY(device.allocate(batch * network.inputFeatures() * sizeof(float),
                                             tensor::Memory::HostVisible));
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
        fillFloats(*device_, *stream_, split.inputKind, inputs_, samples);
        const auto outputs = TRY(executor_->forward({.samples = samples, .rows = rows},
                                                    weights.parameters, weights.statistics, alone));
        TRY(stream_->synchronize());
        visit({first, rows, outputs, targets_.take(split.targetKind, storedTargets_)});
        first += rows;
    }
    return {};
}

Result<SplitScore> SplitEvaluator::score(const Weights& weights, const data::Split& split,
                                         std::uint32_t first, std::uint32_t count,
                                         const std::atomic<bool>* stop) {
    SplitScore score;
    score.metrics.resize(objective_->metrics().size());
    TRY(forEachBatch(weights, split, first, count, stop, [&](const Computed& batch) {
        objective_->add(batch.outputs, batch.targets, Objective::Use::Scoring, 1, {}, score);
        score.rows += batch.rows;
    }));
    return score;
}

SplitEvaluator::Prediction SplitEvaluator::predictionOf(std::span<const float> outputs,
                                                        std::int32_t truth) {
    const bool isBinary = objective_->task().output == config::Task::Output::BinaryLogits;
    const float logits[] = {0, outputs[0]};  // whose softmax is that one's sigmoid
    const auto row = isBinary ? std::span<const float>(logits) : outputs;
    probabilities_.resize(row.size());
    std::int32_t predicted = 0;
    device_->ops().predict(*stream_, {row.data(), 1, row.size()}, {&predicted, 1},
                           {probabilities_.data(), 1, row.size()});
    return {predicted, probabilities_[static_cast<std::size_t>(predicted)],
            probabilities_[static_cast<std::size_t>(truth)]};
}

Result<std::vector<SplitEvaluator::Prediction>> SplitEvaluator::predictAll(
    const Weights& weights, const data::Split& split) {
    std::vector<Prediction> predictions(split.count);
    const std::size_t columns = network_->outputFeatures();
    TRY(forEachBatch(weights, split, 0, split.count, nullptr, [&](const Computed& batch) {
        for (std::uint32_t row = 0; row < batch.rows; ++row)
            predictions[batch.first + row] = predictionOf(
                batch.outputs.subspan(row * columns, columns), batch.targets.labels[row]);
    }));
    return predictions;
}

Result<wire::Evaluation> SplitEvaluator::evaluate(const Weights& weights, const data::Split& split,
                                                  std::size_t samples) {
    const Nanos start = SteadyClock::read();
    const auto total = TRY(score(weights, split, 0, split.count));
    wire::Evaluation evaluation;
    evaluation.set_loss(total.loss());
    evaluation.set_accuracy(total.accuracy());
    if (split.targetKind == data::TargetKind::Class) {
        const auto predictions = TRY(predictAll(weights, split));
        addConfusion(evaluation, split, predictions,
                     static_cast<std::size_t>(objective_->task().classes));
        for (const std::uint32_t index : chooseSamples(predictions, samples))
            addSample(evaluation, split, index, predictions[index]);
    }
    evaluation.set_seconds(std::chrono::duration<double>(SteadyClock::read() - start).count());
    return evaluation;
}

}  // namespace lockstep::train
