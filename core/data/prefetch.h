// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/data/batch_plan.h"
#include "core/data/dataset.h"

namespace lockstep::data {

/// One replica's part of one step, ready to compute on. Points into the prefetcher's ring.
struct Batch {
    std::int64_t step = 0;  ///< Over all epochs, from 0.
    std::int64_t epoch = 0;
    std::uint32_t count = 0;        ///< Samples of this replica; may be 0 in an uneven last batch.
    std::uint32_t globalCount = 0;  ///< Samples of all replicas together: what gradients divide by.
    /// count x Split::bytesPerSample as they are stored, aligned to 64: made floats by the device,
    /// images on their way there take a quarter of the memory.
    const std::uint8_t* inputs = nullptr;
    InputKind inputKind = InputKind::Pixels;
    const std::uint8_t* targets = nullptr;  ///< count x Split::bytesPerTarget, aligned to 64.
};

/// Inputs and targets of `indices`, as they are stored, one behind the other.
void gather(const Split& split, std::span<const std::uint32_t> indices, std::uint8_t* inputs,
            std::uint8_t* targets);

/// Prepares the batches of one replica, in order, on a thread of its own. One thread consumes.
class Prefetcher {
public:
    /// Starts with `firstStep` and ends before `endStep`. `depth` batches are
    /// ready ahead besides the one in use; 0: as many as fit in 32 MiB, from 1 to 63. BadInput for
    /// more than 2 GiB ahead; Unavailable when there is no memory or no thread for it.
    [[nodiscard]] static Result<std::unique_ptr<Prefetcher>> start(
        std::shared_ptr<const Split> split, const BatchPlan& plan, int replica,
        std::int64_t firstStep, std::int64_t endStep, std::uint32_t depth = 0);

    virtual ~Prefetcher() = default;  ///< Stops and joins the thread, within a batch's preparation.

    /// The next batch, valid until the next call. Does not allocate; makes no system call when one
    /// is ready, except one wake-up for every half ring. Timeout when none is ready in time (the
    /// same batch comes with a later call); NotFound after the last.
    [[nodiscard]] virtual Result<Batch> next(Nanos timeout) = 0;
};

}  // namespace lockstep::data
