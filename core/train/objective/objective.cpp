// SPDX-License-Identifier: Apache-2.0
#include "core/train/objective/objective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/tensor/cpu/layers/losses.h"

namespace lockstep::train {

namespace {

using config::LossKind;
using config::Task;

Error errorOf(const model::Problem& problem) {
    return {ErrorCode::BadInput, model::sentenceOf(problem), problem.remedy};
}

tensor::Matrix rowOf(tensor::Matrix matrix, std::size_t row) {
    if (matrix.empty()) return {};
    return {matrix.row(row).data(), 1, matrix.columns};
}

/// Cross-entropies take shares: what lies outside of [0, 1] has no probability.
Result<void> checkShares(const data::Dataset& data, const Task& task) {
    if (task.answer != Task::Answer::Values || task.output == Task::Output::Numbers) return {};
    for (const data::Split* split : {data.train.get(), data.validation.get(), data.test.get()}) {
        const std::size_t count = std::size_t{split->count} * split->valuesPerSample;
        for (std::size_t i = 0; i < count; ++i) {
            float value = 0;
            std::memcpy(&value, split->targets.data() + i * sizeof(float), sizeof(float));
            if (value >= 0 && value <= 1) continue;
            const std::size_t target = i % split->valuesPerSample;
            const std::string name = target < data.targetNames.size()
                                         ? " of " + sanitizeLine(data.targetNames[target], 60)
                                         : "";
            return fail(ErrorCode::BadInput,
                        fmt::format("training.loss is \"{}\", which takes targets from 0 to 1, but "
                                    "a target{} is {}",
                                    toString(task.loss), name, value),
                        "Give targets from 0 to 1, or leave training.loss out: for numbers it is "
                        "\"mean_squared_error\".");
        }
    }
    return {};
}

/// Share of the row's answers of yes or no that are right.
double hitsOf(std::span<const float> logits, std::span<const float> targets) {
    double hits = 0;
    for (std::size_t c = 0; c < logits.size(); ++c)
        hits += (logits[c] > 0) == (targets[c] > 0.5F) ? 1 : 0;
    return hits / static_cast<double>(logits.size());
}

}  // namespace

Objective::Objective(const config::TrainingSpec& training, config::Task task, double targetScale)
    : loss_(training.loss),
      task_(std::move(task)),
      metrics_(config::metricsOf(training.metrics, task_), task_, training.loss.ignoredClass,
               1 / targetScale) {
    for (const double weight : training.loss.classWeights)
        classWeights_.push_back(static_cast<float>(weight));
}

Result<Objective> Objective::make(const config::TrainingSpec& training, const data::Dataset& data) {
    auto [task, problem] = config::taskOf(training.loss, data.facts);
    if (problem) return fail(errorOf(*problem));
    for (const model::Problem& wrong : config::lossProblems(training.loss, task))
        return fail(errorOf(wrong));
    for (const std::string& name : training.metrics) {
        const auto metric = config::parseMetric(name);
        const auto wrong = metric ? config::metricProblem(*metric, task) : std::nullopt;
        if (wrong) return fail(errorOf(*wrong));
    }
    TRY(checkShares(data, task));
    Objective objective(training, std::move(task), data.targetScale);
    if (training.loss.balancedClassWeights)
        objective.classWeights_ =
            balancedWeights(*data.train, objective.task_.classes, training.loss.ignoredClass);
    return objective;
}

void Objective::add(std::span<const float> outputs, const BatchTargets& targets, Use use,
                    float scale, std::span<float> gradient, SplitScore& sums) const {
    const auto columns = static_cast<std::size_t>(task_.shape.back());
    const tensor::ConstMatrix rows{outputs.data(), outputs.size() / columns, columns};
    const tensor::Matrix gradients =
        gradient.empty() ? tensor::Matrix{} : tensor::Matrix{gradient.data(), rows.rows, columns};
    double plain = 0;
    switch (task_.output) {
        case Task::Output::Logits:
            plain = addClasses(rows, targets, use, scale, gradients, sums);
            break;
        case Task::Output::BinaryLogits:
            addBinary(rows, targets, use, scale, gradients, sums);
            break;
        case Task::Output::Numbers:
            addNumbers(rows, targets, scale, gradients, sums);
            break;
    }
    metrics_.add({rows, targets, plain}, sums.metrics);
}

double Objective::addClasses(tensor::ConstMatrix outputs, const BatchTargets& targets, Use use,
                             float scale, tensor::Matrix gradient, SplitScore& sums) const {
    // On from the sums: how a split is cut into batches changes no bit.
    tensor::LossTotals totals{sums.lossSum, sums.correct, sums.samples};
    double plain = 0;
    tensor::CrossEntropyOptions options{.labelSmoothing = static_cast<float>(loss_.labelSmoothing),
                                        .ignoredClass = loss_.ignoredClass,
                                        .plainLoss = &plain};
    if (use == Use::Training) options.classWeights = classWeights_;
    if (targets.labels.empty())
        tensor::categoricalCrossEntropy(outputs,
                                        {targets.values.data(), outputs.rows, outputs.columns},
                                        options, scale, gradient, totals);
    else
        tensor::sparseCrossEntropy(outputs, {targets.labels, targets.others, targets.shares},
                                   options, scale, gradient, totals);
    sums.lossSum = totals.lossSum;
    sums.correct = totals.correct;
    sums.samples = totals.samples;
    return plain;
}

/// Row by row: each has a weight of its own.
void Objective::addBinary(tensor::ConstMatrix outputs, const BatchTargets& targets, Use use,
                          float scale, tensor::Matrix gradient, SplitScore& sums) const {
    const auto smoothing = static_cast<float>(loss_.labelSmoothing);
    std::vector<float> wanted(outputs.columns);
    for (std::size_t r = 0; r < outputs.rows; ++r) {
        float weight = 1;
        if (targets.labels.empty()) {
            std::ranges::copy(targets.values.subspan(r * outputs.columns, outputs.columns),
                              wanted.begin());
        } else {
            wanted[0] = static_cast<float>(targets.labels[r]);  // the second class is yes
            if (use == Use::Training && !classWeights_.empty())
                weight = classWeights_[wanted[0] > 0.5F ? 1 : 0];
        }
        sums.correct += hitsOf(outputs.row(r), wanted);
        for (float& target : wanted)
            target = target * (1 - smoothing) + smoothing / 2;
        sums.lossSum += static_cast<double>(weight) *
                        tensor::binaryCrossEntropy({outputs.row(r).data(), 1, outputs.columns},
                                                   {wanted.data(), 1, outputs.columns},
                                                   scale * weight, rowOf(gradient, r));
        sums.samples += 1;
    }
}

void Objective::addNumbers(tensor::ConstMatrix outputs, const BatchTargets& targets, float scale,
                           tensor::Matrix gradient, SplitScore& sums) const {
    const tensor::ConstMatrix wanted{targets.values.data(), outputs.rows, outputs.columns};
    sums.samples += static_cast<double>(outputs.rows);
    sums.correct = std::numeric_limits<double>::quiet_NaN();  // nothing is right or wrong
    if (task_.loss == LossKind::MeanAbsoluteError)
        sums.lossSum += tensor::meanAbsoluteError(outputs, wanted, scale, gradient);
    else if (task_.loss == LossKind::Huber)
        sums.lossSum +=
            tensor::huber(outputs, wanted, static_cast<float>(loss_.huberDelta), scale, gradient);
    else
        sums.lossSum += tensor::meanSquaredError(outputs, wanted, scale, gradient);
}

std::vector<float> balancedWeights(const data::Split& split, std::int64_t classes,
                                   std::int64_t ignored) {
    std::vector<double> counts(static_cast<std::size_t>(classes));
    for (std::uint32_t i = 0; i < split.count; ++i)
        ++counts[split.label(i)];
    double samples = split.count;
    if (ignored >= 0 && ignored < classes) {
        samples -= std::exchange(counts[static_cast<std::size_t>(ignored)], 0);
        --classes;
    }
    std::vector<float> weights;
    for (const double count : counts)
        weights.push_back(count > 0
                              ? static_cast<float>(samples / (static_cast<double>(classes) * count))
                              : 1.0F);
    return weights;
}

}  // namespace lockstep::train
