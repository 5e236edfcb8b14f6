// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/result.h"
#include "core/tensor/buffer.h"

namespace lockstep::tensor::cuda {

/// Zeroed memory of the current device. Unavailable when there is not as much.
[[nodiscard]] Result<Buffer> deviceMemory(std::size_t bytes);
/// Zeroed memory of the host that stays in place, so that the device copies from and to it without
/// the processor's help, and kernels may address it.
[[nodiscard]] Result<Buffer> pinnedMemory(std::size_t bytes);

struct StreamCloser {
    void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};
struct EventCloser {
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
struct GraphCloser {
    void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
};
using StreamHandle = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, StreamCloser>;
using EventHandle = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, EventCloser>;
using GraphHandle = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, GraphCloser>;

/// A stream that does not wait for the default one.
[[nodiscard]] Result<StreamHandle> makeStreamHandle();
/// Without timing, which is cheaper.
[[nodiscard]] Result<EventHandle> makeEventHandle();

}  // namespace lockstep::tensor::cuda
