// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/data/batch_maker.h"

namespace lockstep::data {

struct PrefetchOptions {
    /// Batches that are ready ahead besides the one in use; 0: as many as fit in 32 MiB, or one for
    /// each thread in up to 256 MiB; 1 to 63.
    std::uint32_t depth = 0;
    std::shared_ptr<const Augmenter> augmenter{};  ///< Null: samples stay as they are stored.
    /// Threads at most. One more begins whenever the consumer has waited for a few batches.
    unsigned mostThreads = 1;
    int ignoredClass = -1;  ///< A class or token that does not count; -1: all do.
};

/// Prepares the batches of one replica on threads of its own and gives them in order. One thread
/// consumes.
class Prefetcher {
public:
    /// Starts with `firstStep` and ends before `endStep`. BadInput for more than 2 GiB ahead;
    /// Unavailable when there is no memory or no thread for it.
    [[nodiscard]] static Result<std::unique_ptr<Prefetcher>> start(
        std::shared_ptr<const Split> split, const BatchPlan& plan, int replica,
        std::int64_t firstStep, std::int64_t endStep, PrefetchOptions options = {});

    /// How many batches of so many bytes it has memory for.
    [[nodiscard]] static std::uint32_t slotsOf(std::uint64_t batchBytes,
                                               const PrefetchOptions& options);

    virtual ~Prefetcher() = default;  ///< Stops and joins, within a batch's preparation.

    /// The next batch, valid until the next call. Does not allocate; makes no system call when one
    /// is ready, except one wake-up for every half ring. Timeout when none is ready in time (the
    /// same batch comes with a later call); NotFound after the last.
    [[nodiscard]] virtual Result<Batch> next(Nanos timeout) = 0;
    /// Threads that prepare, so far.
    [[nodiscard]] virtual unsigned threads() const = 0;
    /// Batches that may be ready or in the making besides the one in use.
    [[nodiscard]] virtual std::uint32_t ahead() const = 0;
};

}  // namespace lockstep::data
