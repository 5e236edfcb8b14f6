// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/distribution/distribution.h"

namespace lockstep::distribution {

/// Which part of a dataset this process reads: the dataset is cut into batches of `batchSize`
/// samples, of which it takes every `count`-th, beginning with number `index`.
struct DatasetShard {
    int count = 1;
    int index = 0;
    std::size_t batchSize = 0;  ///< Of one process: the global one over `count`.

    /// The half-open range of samples of this process's batches, in order, for `samples` in all;
    /// the last batch may be short.
    struct Batch {
        std::size_t begin = 0;
        std::size_t end = 0;
        [[nodiscard]] bool operator==(const Batch&) const = default;
    };
    [[nodiscard]] std::vector<Batch> batches(std::size_t samples) const;
};

/// What a batched dataset becomes under a distribution: `globalBatchSize` is what all processes
/// consume together in a step. With one model replica, or without auto-sharding, everybody reads
/// everything it is given. BadInput, in Keras' words: the batch size is not known, or the shards
/// do not divide it.
[[nodiscard]] Result<DatasetShard> shardDataset(const Distribution& distribution,
                                                std::optional<std::size_t> globalBatchSize);

}  // namespace lockstep::distribution
