// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/tensor/cuda/memory.h"

namespace lockstep::program {

/// What the work between marks on a stream takes on the device, gaps in which it waits for the host
/// included. Not while a graph is captured.
class DeviceClock {
public:
    [[nodiscard]] Result<void> mark(cudaStream_t stream);
    /// Waits for the last mark, adds the time between each two neighbours to `times`, one after the
    /// other, and forgets all marks.
    [[nodiscard]] Result<void> addTo(std::vector<Nanos>& times);

private:
    std::vector<tensor::cuda::EventHandle> marks_;
    std::size_t marked_ = 0;
};

}  // namespace lockstep::program
