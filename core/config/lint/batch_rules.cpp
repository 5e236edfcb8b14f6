// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/batch_rules.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/plural.h"

namespace lockstep::config {

namespace {

constexpr int kFewSamples = 4;  // a step of so few is mostly waiting for the others

/// How the learning rate follows a batch k times as large: with it for sgd (Goyal et al. 2017),
/// with its root for the others, which divide by the gradients' size (Malladi et al. 2022).
double scaledRate(const TrainingSpec& training, double k) {
    return training.learningRate * (training.optimizer == OptimizerKind::Sgd ? k : std::sqrt(k));
}

std::string each(int batch, int replicas) {
    return batch % replicas == 0 ? fmt::format("{}", batch / replicas)
                                 : fmt::format("{} or {}", batch / replicas, batch / replicas + 1);
}

}  // namespace

std::optional<BatchAdvice> adviseBatch(const TrainingSpec& training, int replicas,
                                       std::string_view sharer) {
    const int batch = training.globalBatchSize;
    if (replicas <= 1) return std::nullopt;
    if (batch < replicas)
        return BatchAdvice{
            Severity::Error,
            fmt::format("training.global_batch_size is {}, but there are {}, and each needs "
                        "at least one sample a step",
                        batch, counted(replicas, sharer)),
            fmt::format("Use {} or more, or fewer processes.", replicas)};
    if (const int more = batch % replicas; more != 0)
        return BatchAdvice{
            Severity::Warning,
            fmt::format("training.global_batch_size is {}, which {} cannot share evenly: {} of "
                        "them {} {} a step, the {} {}",
                        batch, counted(replicas, sharer), more, more == 1 ? "takes" : "take",
                        counted(batch / replicas + 1, "sample"), nounFor(replicas - more, "other"),
                        batch / replicas),
            fmt::format("Nothing is lost, every sample weighs the same; {} would be even.",
                        (batch / replicas + 1) * replicas)};
    if (batch / replicas >= kFewSamples) return std::nullopt;
    return BatchAdvice{
        Severity::Note,
        fmt::format("training.global_batch_size is {}: each of the {} takes {} a step, so that "
                    "they mostly wait for each other",
                    batch, counted(replicas, sharer), counted(batch / replicas, "sample")),
        fmt::format(
            "With a batch of {} a learning rate of about {:.2g} trains alike; or use fewer {}.",
            32 * replicas, scaledRate(training, 32.0 * replicas / batch), nounFor(2, sharer))};
}

std::optional<BatchAdvice> adviseGrowth(const TrainingSpec& training, int planned, int actual) {
    if (planned == actual || planned < 1 || actual < 1) return std::nullopt;
    const int batch = training.globalBatchSize;
    const double ratio = static_cast<double>(actual) / planned;
    const auto kept = static_cast<std::int64_t>(std::llround(batch * ratio));
    return BatchAdvice{
        Severity::Note,
        fmt::format("the job is written for {} and runs on {}: of "
                    "training.global_batch_size {} each takes {} {} a step instead of {}",
                    counted(planned, "replica"), actual, batch, each(batch, actual),
                    nounFor(batch == actual ? 1 : 2, "sample"), each(batch, planned)),
        fmt::format("The result stays the same. To keep the samples of a replica, set the batch to "
                    "{} and training.learning_rate from {} to about {:.2g}, with a warm-up.",
                    kept, training.learningRate, scaledRate(training, ratio))};
}

}  // namespace lockstep::config
