// SPDX-License-Identifier: Apache-2.0
#include "core/train/handover/predictor.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/data/prefetch.h"
#include "core/program/compile.h"
#include "core/program/cpu/cpu_executor.h"
#include "core/train/replica/batch_floats.h"

namespace lockstep::train {

namespace {

constexpr std::uint32_t kBatch = 64;

/// Softmax; of a single number its sigmoid, the chance of the second of two classes.
std::vector<double> chancesOf(std::span<const float> logits) {
    if (logits.size() == 1) {
        const double second = 1 / (1 + std::exp(-static_cast<double>(logits[0])));
        return {1 - second, second};
    }
    const double largest = *std::ranges::max_element(logits);
    std::vector<double> chances;
    for (const float logit : logits)
        chances.push_back(std::exp(static_cast<double>(logit) - largest));
    const double sum = std::accumulate(chances.begin(), chances.end(), 0.0);
    for (double& chance : chances)
        chance /= sum;
    return chances;
}

/// A single number stands for the second of two classes: the first one's is its opposite.
double logitOf(std::span<const float> logits, std::size_t index) {
    if (logits.size() > 1) return static_cast<double>(logits[index]);
    const auto second = static_cast<double>(logits[0]);
    return index == 1 ? second : -second;
}

}  // namespace

Predictor::Predictor(std::unique_ptr<SavedNetwork> saved, std::unique_ptr<tensor::Device> device,
                     std::size_t top)
    : saved_(std::move(saved)),
      device_(std::move(device)),
      output_(config::taskOf(saved_->job.training.loss, saved_->samples.facts).task.output),
      top_(top) {}

Result<std::unique_ptr<Predictor>> Predictor::make(SavedNetwork saved, std::size_t top) {
    if (saved.samples.targetKind == data::TargetKind::NextToken)
        return fail(ErrorCode::BadInput,
                    "the network was trained to continue text, which is not predicted from files",
                    "Networks that tell classes or numbers are asked in this way.");
    flushDenormals();
    std::unique_ptr<Predictor> predictor(new Predictor(
        std::make_unique<SavedNetwork>(std::move(saved)), tensor::openCpuDevice(), top));
    predictor->executor_ = TRY(program::CpuExecutor::make(
        *predictor->device_, program::compile(predictor->saved_->network.graph(), kBatch,
                                              program::Program::Mode::Evaluation)));
    return predictor;
}

std::vector<RankedClass> Predictor::ranked(std::span<const float> logits) const {
    const std::vector<double> chances = chancesOf(logits);
    std::vector<std::size_t> order(chances.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto shown = static_cast<std::ptrdiff_t>(std::min(top_, order.size()));
    std::partial_sort(order.begin(), order.begin() + shown, order.end(),
                      [&chances](std::size_t a, std::size_t b) {
                          return chances[a] != chances[b] ? chances[a] > chances[b] : a < b;
                      });
    order.resize(static_cast<std::size_t>(shown));
    const std::vector<std::string>& names = saved_->samples.classNames;
    std::vector<RankedClass> classes;
    for (const std::size_t index : order)
        classes.push_back({static_cast<std::int64_t>(index),
                           index < names.size() ? names[index] : std::to_string(index),
                           chances[index], logitOf(logits, index)});
    return classes;
}

/// Numbers in their own units; of a loss that takes logits the chances that they stand for.
std::vector<double> Predictor::valuesOf(std::span<const float> outputs) const {
    if (output_ == config::Task::Output::Logits) return chancesOf(outputs);
    std::vector<double> values;
    for (const float one : outputs) {
        const auto number = static_cast<double>(one);
        values.push_back(output_ == config::Task::Output::BinaryLogits
                             ? 1 / (1 + std::exp(-number))
                             : number / saved_->samples.targetScale);
    }
    return values;
}

Prediction Predictor::predictionOf(std::span<const float> outputs) const {
    const data::SampleFacts& samples = saved_->samples;
    if (samples.targetKind == data::TargetKind::Class)
        return {.classes = ranked(outputs), .values = {}};
    const std::vector<double> values = valuesOf(outputs);
    Prediction prediction;
    for (std::size_t i = 0; i < values.size(); ++i)
        prediction.values.push_back(
            {i < samples.targetNames.size() ? samples.targetNames[i] : std::to_string(i),
             values[i]});
    return prediction;
}

Result<void> Predictor::predict(const data::Split& split, const Take& take,
                                const std::function<bool()>& goesOn) {
    return compute(
        split,
        [&](std::uint32_t index, std::span<const float> outputs) {
            take(index, predictionOf(outputs));
        },
        goesOn);
}

Result<void> Predictor::compute(const data::Split& split, const TakeOutputs& take,
                                const std::function<bool()>& goesOn) {
    const program::Network& network = saved_->network;
    std::vector<std::uint8_t> inputs;
    std::vector<std::uint8_t> targets;
    std::vector<float> samples(kBatch * network.inputFeatures());
    program::NoReplicaSum alone;
    for (std::uint32_t first = 0; first < split.count; first += kBatch) {
        if (goesOn && !goesOn()) return {};
        const std::uint32_t rows = std::min(kBatch, split.count - first);
        std::vector<std::uint32_t> indices(rows);
        std::iota(indices.begin(), indices.end(), first);
        inputs.resize(rows * split.bytesPerSample());
        targets.resize(rows * split.bytesPerTarget());
        data::gather(split, indices, inputs.data(), targets.data());
        fillFloats(split.inputKind, inputs,
                   std::span(samples).first(rows * network.inputFeatures()));
        const auto outputs = TRY(executor_->forward({.samples = samples, .rows = rows},
                                                    saved_->parameters, saved_->statistics, alone));
        for (std::uint32_t row = 0; row < rows; ++row)
            take(first + row,
                 outputs.subspan(row * network.outputFeatures(), network.outputFeatures()));
    }
    return {};
}

}  // namespace lockstep::train
