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

/// What no data make good: options of one loss with another one.
void checkOptions(const LossSpec& loss, Report& report) {
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
}

}  // namespace

void checkTask(const JobSpec& spec, Report& report) {
    if (const auto facts = knownFacts(spec.data))
        checkTask(spec.training, *facts, report);
    else
        checkOptions(spec.training.loss, report);
}

void checkTask(const TrainingSpec& training, const model::DataFacts& facts, Report& report) {
    const auto [task, problem] = taskOf(training.loss, facts);
    if (problem) {
        tell(*problem, report);
        return;
    }
    for (const model::Problem& wrong : lossProblems(training.loss, task))
        tell(wrong, report);
    for (const std::string& name : training.metrics)
        if (const auto metric = parseMetric(name))
            if (const auto wrong = metricProblem(*metric, task)) tell(*wrong, report);
}

}  // namespace lockstep::config
