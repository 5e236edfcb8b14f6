// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/mutex.h"
#include "core/fit/dataset.h"

namespace lockstep::fit {

/// What cache() has kept of its dataset, for all copies of it.
struct KeptElements {
    Mutex mutex;
    bool areThere LS_GUARDED_BY(mutex) = false;
    std::vector<Element> elements LS_GUARDED_BY(mutex);
};

/// One call in the making of a dataset. Immutable but for what it counts and keeps.
struct Stage {
    enum class Kind : std::uint8_t { Tensors, Map, Shuffle, Batch, Cache, Prefetch, Shard };
    Kind kind = Kind::Tensors;
    std::shared_ptr<const Stage> before{};  ///< Null of Tensors alone.

    Element tensors{};
    Dataset::Function function{};
    std::uint64_t count = 0;  ///< Shuffle: buffer; Batch: size; Prefetch: elements; Shard: of them.
    std::uint64_t index = 0;  ///< Shard.
    bool dropRemainder = false;
    ShuffleOptions shuffle{};
    std::uint64_t drawnSeed = 0;  ///< Shuffle, where no seed is given.
    std::filesystem::path file{};
    std::shared_ptr<KeptElements> kept{};
    /// Iterations of this dataset so far.
    std::shared_ptr<std::atomic<std::int64_t>> iterations =
        std::make_shared<std::atomic<std::int64_t>>(0);
};

/// Which iteration of a dataset is meant.
struct Iteration {
    std::int64_t number = 0;
    /// Of a shuffle() that has none: what the processes of a training have agreed on. Absent: what
    /// shuffle() has drawn.
    std::optional<std::uint64_t> seed{};
};

/// An iteration of a stage.
[[nodiscard]] std::unique_ptr<DatasetIterator::Reader> readerOf(
    const std::shared_ptr<const Stage>& stage, const Iteration& iteration);

/// All elements of an iteration, in order.
[[nodiscard]] Result<std::vector<Element>> elementsOf(const std::shared_ptr<const Stage>& stage,
                                                      const Iteration& iteration);

}  // namespace lockstep::fit
