// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/length_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/plural.h"
#include "core/config/job/mesh.h"

namespace lockstep::config {

namespace {

bool hasBatchNormalization(const std::vector<model::Entry>& entries) {
    return std::ranges::any_of(entries, [](const model::Entry& entry) {
        return entry.type == "batch_normalization" || hasBatchNormalization(entry.layers) ||
               hasBatchNormalization(entry.shortcut);
    });
}

bool hasBatchNormalization(const model::Description& description) {
    return hasBatchNormalization(description.layers) ||
           std::ranges::any_of(description.blocks, [](const model::Block& block) {
               return hasBatchNormalization(block.layers);
           });
}

/// training.steps beside training.epochs, and where it validates.
void checkLength(const JobSpec& spec, Report& report) {
    const TrainingSpec& t = spec.training;
    if (t.steps > 0 && t.epochs != TrainingSpec{}.epochs)
        report.warning("training.epochs",
                       fmt::format("training.epochs is {}, but training.steps is {} and holds",
                                   t.epochs, t.steps),
                       "Remove one of them.");
    if (t.steps > 0 && t.evaluateEverySteps > t.steps)
        report.warning("training.evaluate_every_steps",
                       fmt::format("training.evaluate_every_steps is {}, but there {}: validation "
                                   "comes at the end alone",
                                   t.evaluateEverySteps, isCounted(t.steps, "step")),
                       "Use fewer.");
}

/// The parts of a step: not more than samples, and what batch normalisations see.
void checkAccumulation(const JobSpec& spec, Report& report) {
    const int parts = spec.training.gradientAccumulationSteps;
    if (parts == 1) return;
    const char* key = "training.gradient_accumulation_steps";
    const int share = spec.training.globalBatchSize / std::max(batchReplicas(spec), 1);
    if (parts > share)
        report.error(key,
                     fmt::format("{} is {}, but each replica has {} of a step", key, parts,
                                 counted(share, "sample")),
                     "Use fewer parts, or a larger training.global_batch_size.");
    if (hasBatchNormalization(spec.model.description))
        report.add(Severity::Note, key,
                   fmt::format("{} is {}: batch normalisations take the statistics of a part of "
                               "the batch, as many as are computed at once",
                               key, parts),
                   "Use group_normalization or layer_normalization where that matters.");
}

void checkAverage(const JobSpec& spec, Report& report) {
    const AverageSpec& average = spec.training.average;
    if (!average.isUsed && average.momentum != AverageSpec{}.momentum)
        report.warning("training.ema_momentum",
                       "training.ema_momentum is given, but training.use_ema is false: there is "
                       "no average",
                       "Set training.use_ema = true, or remove it.");
}

}  // namespace

const std::vector<Rule>& lengthRules() {
    static const std::vector<Rule> kRules = {
        {{"training.steps", "training.epochs", "training.evaluate_every_steps"}, checkLength},
        {{"training.gradient_accumulation_steps", "training.global_batch_size",
          "cluster.job_addresses", "cluster.num_processes", "cluster.devices_per_process",
          "distribution.mesh.model"},
         checkAccumulation},
        {{"training.use_ema", "training.ema_momentum"}, checkAverage},
    };
    return kRules;
}

}  // namespace lockstep::config
