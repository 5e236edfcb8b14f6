// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/model/data_facts.h"

namespace lockstep::train {

/// What a replica takes of its host's memory while it trains on a processor, besides the program,
/// its libraries and the data: by what it is for, in bytes. Copies for a checkpoint come on top
/// while that is written.
struct MemoryNeed {
    /// Weights, gradients, their sums and the optimiser's state; of what replicas of a host have
    /// together, its share.
    std::uint64_t state = 0;
    std::uint64_t step = 0;          ///< Samples and values of a step, forward and backward.
    std::uint64_t evaluation = 0;    ///< The same of the largest batch that is scored.
    std::uint64_t batches = 0;       ///< That are prepared ahead.
    std::uint64_t convolutions = 0;  ///< What these keep besides the values.
    std::uint64_t exchange = 0;      ///< What the members of a mesh's row tell each other.

    [[nodiscard]] std::uint64_t total() const {
        return state + step + evaluation + batches + convolutions + exchange;
    }
};

/// Of a job with such data, from its plans alone: of all of it nothing is allocated, but for what a
/// convolution keeps, one after the other. Columns of a mesh need alike. BadInput as the start of
/// the job would say it.
[[nodiscard]] Result<MemoryNeed> memoryNeedOf(const config::JobSpec& job,
                                              const model::DataFacts& facts);

}  // namespace lockstep::train
