// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/task_rules.h"

#include <fmt/format.h>

#include "core/config/job/metric.h"
#include "core/config/job/task.h"
#include "core/config/lint/known_dataset.h"
#include "core/config/lint/model_rules.h"

namespace lockstep::config {

namespace {

void tell(const model::Problem& problem, Report& report) {
    report.error(problem.place.path, model::sentenceOf(problem), problem.remedy);
}

/// As far as the data set reads it; of others a rule of its own says that they do not.
double targetScaleOf(const DataSpec& data) {
    return data.dataset == "table" || data.dataset == "arrays" ? data.table.targetScale : 1;
}

/// What no data make good: options of one loss with another one.
void checkOptions(const JobSpec& spec, Report& report) {
    const LossSpec& loss = spec.training.loss;
    const bool ofNumbers = loss.kind == LossKind::MeanSquaredError ||
                           loss.kind == LossKind::MeanAbsoluteError || loss.kind == LossKind::Huber;
    const auto refuse = [&](const char* key, const char* whose) {
        report.error(key,
                     fmt::format("{} is given, but it is for {}, and training.loss is \"{}\"", key,
                                 whose, toString(loss.kind)),
                     "Remove it, or choose such a loss.");
    };
    if (loss.labelSmoothing > 0 && ofNumbers) refuse("training.label_smoothing", "cross-entropies");
    if (loss.ignoredClass >= 0 && (ofNumbers || loss.kind == LossKind::BinaryCrossEntropy))
        refuse("training.ignored_class", "the cross-entropy of classes or tokens");
    if ((!loss.classWeights.empty() || loss.balancedClassWeights) && ofNumbers)
        refuse("training.class_weights", "classes");
    if (loss.huberDelta != LossSpec{}.huberDelta && loss.kind != LossKind::Huber)
        refuse("training.huber_delta", "\"huber\"");
    if (loss.kind != LossKind::Auto && !ofNumbers && targetScaleOf(spec.data) != 1)
        refuse("data.target_scale", "numbers that are predicted");
}

}  // namespace

void checkTask(const JobSpec& spec, Report& report) {
    if (const auto facts = knownFacts(spec.data))
        checkTask(spec, *facts, report);
    else
        checkOptions(spec, report);
}

void checkTask(const JobSpec& spec, const model::DataFacts& facts, Report& report) {
    const TrainingSpec& training = spec.training;
    const auto [task, problem] = taskOf(training.loss, facts);
    if (problem) {
        tell(*problem, report);
        return;
    }
    for (const model::Problem& wrong : lossProblems(training.loss, task))
        tell(wrong, report);
    if (const auto wrong = targetScaleProblem(targetScaleOf(spec.data), task)) tell(*wrong, report);
    for (const std::string& name : training.metrics)
        if (const auto metric = parseMetric(name))
            if (const auto wrong = metricProblem(*metric, task)) tell(*wrong, report);
}

}  // namespace lockstep::config
