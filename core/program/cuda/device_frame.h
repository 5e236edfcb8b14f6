// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>

#include "core/base/result.h"
#include "core/program/cpu/frame.h"
#include "core/tensor/cuda/layers/random_units.h"
#include "core/tensor/cuda/other_replicas.h"

namespace lockstep::program {

/// A frame in a GPU's memory, with what its kernels need besides. Seed, step and first place are
/// those of `moment`, which the device reads when it runs, so that a captured step can be replayed
/// for another one.
struct DeviceFrame : Frame {
    cudaStream_t stream = nullptr;
    std::byte* scratch = nullptr;  ///< Of one instruction at a time.
    const tensor::cuda::StepMoment* moment = nullptr;
    const __nv_bfloat16* shadow = nullptr;  ///< The parameters in bfloat16; may be null.
    /// In bfloat16: values rounded, as far as products read them, where they lie in the arena.
    __nv_bfloat16* rounded = nullptr;
    __nv_bfloat16* roundedSamples = nullptr;
    /// Of a part of a network; else it may be null, or empty.
    const tensor::cuda::OtherReplicas::Gather* gather = nullptr;
};

/// An instruction ready to be enqueued.
using DeviceKernel = std::function<Result<void>(const DeviceFrame&)>;

}  // namespace lockstep::program
