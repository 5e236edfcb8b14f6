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
#include "core/program/cpu/cpu_executor.h"
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

}  // namespace

SplitEvaluator::SplitEvaluator(tensor::Device& device, const program::Network& network,
                               std::unique_ptr<program::Executor> executor,
                               std::unique_ptr<tensor::Stream> stream)
    : device_(&device),
      network_(&network),
      executor_(std::move(executor)),
      stream_(std::move(stream)),
      indices_(kBatch) {}

Result<SplitEvaluator> SplitEvaluator::make(tensor::Device& device,
                                            const program::Network& network) {
    auto executor = TRY(program::CpuExecutor::make(
        device, program::compile(network.graph(), kBatch, program::Program::Mode::Evaluation)));
    auto stream = TRY(device.makeStream());
    SplitEvaluator evaluator(device, network, std::move(executor), std::move(stream));
    const struct {
        tensor::Buffer* buffer;
        std::size_t bytes;
    } wanted[] = {
        {&evaluator.samples_, kBatch * network.inputFeatures() * sizeof(float)},
        {&evaluator.labels_, kBatch * sizeof(std::int32_t)},
        {&evaluator.predicted_, kBatch * sizeof(std::int32_t)},
        {&evaluator.probabilities_, kBatch * network.outputFeatures() * sizeof(float)},
    };
    for (const auto& [buffer, bytes] : wanted) {
        *buffer = TRY(device.allocate(bytes, tensor::Memory::HostVisible));
    }
    return evaluator;
}

std::uint32_t SplitEvaluator::gatherBatch(const data::Split& split, std::uint32_t first,
                                          std::uint32_t end) {
    const std::uint32_t rows = std::min(kBatch, end - first);
    std::iota(indices_.begin(), indices_.begin() + rows, first);
    const auto indices = std::span(indices_).first(rows);
    inputs_.resize(rows * split.bytesPerSample());
    targets_.resize(rows * split.bytesPerTarget());
    data::gather(split, indices, inputs_.data(), targets_.data());
    fillFloats(*device_, *stream_, split.inputKind, inputs_,
               samples_.as<float>().first(rows * network_->inputFeatures()));
    fillLabels(targets_, labels_.as<std::int32_t>().first(rows));
    return rows;
}

/// Of the batch that was gathered.
Result<tensor::ConstMatrix> SplitEvaluator::logits(const Weights& weights, std::uint32_t rows) {
    program::NoReplicaSum alone;
    const auto values = TRY(executor_->forward({.samples = samples_.as<float>(), .rows = rows},
                                               weights.parameters, weights.statistics, alone));
    return tensor::ConstMatrix{values.data(), rows, network_->outputFeatures()};
}

Result<SplitScore> SplitEvaluator::score(const Weights& weights, const data::Split& split,
                                         std::uint32_t first, std::uint32_t count,
                                         const std::atomic<bool>* stop) {
    tensor::LossTotals totals;
    const std::uint32_t end = first + count;
    while (first < end && (stop == nullptr || !stop->load(std::memory_order_relaxed))) {
        const std::uint32_t rows = gatherBatch(split, first, end);
        device_->ops().softmaxCrossEntropy(*stream_, TRY(logits(weights, rows)),
                                           labels_.as<std::int32_t>().first(rows), 1, {}, totals);
        first += rows;
    }
    TRY(stream_->synchronize());
    return SplitScore{totals.lossSum, totals.correct, totals.samples};
}

Result<std::vector<SplitEvaluator::Prediction>> SplitEvaluator::predictAll(
    const Weights& weights, const data::Split& split) {
    std::vector<Prediction> predictions(split.count);
    const std::size_t classes = network_->outputFeatures();
    for (std::uint32_t first = 0; first < split.count;) {
        const std::uint32_t rows = gatherBatch(split, first, split.count);
        const auto predicted = predicted_.as<std::int32_t>().first(rows);
        const tensor::Matrix probabilities{probabilities_.as<float>().data(), rows, classes};
        device_->ops().predict(*stream_, TRY(logits(weights, rows)), predicted, probabilities);
        TRY(stream_->synchronize());
        for (std::uint32_t row = 0; row < rows; ++row) {
            const auto chosen = static_cast<std::size_t>(predicted[row]);
            predictions[first + row] = {predicted[row], probabilities.row(row)[chosen],
                                        probabilities.row(row)[split.label(first + row)]};
        }
        first += rows;
    }
    return predictions;
}

Result<wire::Evaluation> SplitEvaluator::evaluate(const Weights& weights, const data::Split& split,
                                                  std::size_t samples) {
    const Nanos start = SteadyClock::read();
    auto total = TRY(score(weights, split, 0, split.count));
    auto predictions = TRY(predictAll(weights, split));

    wire::Evaluation evaluation;
    evaluation.set_loss(total.loss());
    evaluation.set_accuracy(total.accuracy());
    addConfusion(evaluation, split, predictions, network_->outputFeatures());
    for (const std::uint32_t index : chooseSamples(predictions, samples))
        addSample(evaluation, split, index, (predictions)[index]);
    evaluation.set_seconds(std::chrono::duration<double>(SteadyClock::read() - start).count());
    return evaluation;
}

}  // namespace lockstep::train
