// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/fit/dataset.h"

namespace lockstep::fit {

/// A dataset as a job trains on it: all samples, and what becomes of them anew in each epoch.
struct TrainingData {
    Element samples;  ///< A row each.
    std::uint64_t batch = 0;
    bool dropRemainder = false;
    config::ShuffleSpec shuffle{};
    int prefetch = 0;  ///< Batches; 0: as the trainer chooses.
};

/// BadInput for a dataset that is not batched, in Keras' words, that has no targets, or whose
/// stages come in an order that is not the same for every epoch but for one shuffle() before
/// batch(). `seed`: of a shuffle() without one that a cache() behind it keeps the order of.
[[nodiscard]] Result<TrainingData> trainingDataOf(const Dataset& dataset,
                                                  std::optional<std::uint64_t> seed);

/// All samples, a row each: as the last cache() keeps them (`seed` as above), and what stands
/// behind it neither shuffled nor short of a remainder. BadInput where there are none.
[[nodiscard]] Result<Element> samplesOf(const Dataset& dataset, std::optional<std::uint64_t> seed);

/// Makes classes of floats that are whole numbers, one a sample, where the loss is the sparse
/// cross-entropy: Keras takes them, too. BadInput for others.
[[nodiscard]] Result<void> takeClasses(config::LossKind loss, Tensor& y);

/// XXH3-128 of types, shapes and numbers.
[[nodiscard]] std::string hashOf(const Element& samples);

}  // namespace lockstep::fit
