// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/tensor/cuda/kernels.h"
#include "core/tensor/cuda/layers/random_units.h"
#include "core/tensor/cuda/other_replicas.h"

namespace lockstep::tensor::cuda {

/// Where a replica's state lies on the device.
struct DeviceState {
    float* parameters = nullptr;
    BFloat* shadow = nullptr;  ///< The parameters in bfloat16, for that precision.
    float* gradients = nullptr;
    float* statistics = nullptr;
    const StepMoment* moment = nullptr;  ///< Where the step stands.
};

/// What an engine's step computes: a network on the current device. Everything is enqueued on the
/// caller's stream, one stream at a time; what a size of batch needs is made when it first comes,
/// which must not be while a graph is captured.
class DeviceNetwork {
public:
    /// The gradients from this element on are enqueued.
    using Complete = std::function<Result<void>(std::size_t)>;

    virtual ~DeviceNetwork() = default;

    /// Most samples of an evaluation.
    [[nodiscard]] virtual std::uint32_t evaluationRows() const = 0;
    /// Logits of `samples` [rows, features]; training moves the statistics on.
    [[nodiscard]] virtual Result<const float*> forward(cudaStream_t stream, const float* samples,
                                                       std::uint32_t rows,
                                                       const OtherReplicas& others) = 0;
    [[nodiscard]] virtual Result<const float*> evaluate(cudaStream_t stream, const float* samples,
                                                        std::uint32_t rows,
                                                        const OtherReplicas& others) = 0;
    /// Where the loss writes the gradient of what forward() gave.
    [[nodiscard]] virtual float* outputGradient() = 0;
    [[nodiscard]] virtual Result<void> backward(cudaStream_t stream, const OtherReplicas& others,
                                                const Complete& onComplete) = 0;
    /// Doubles that each of its sums has, each number once.
    [[nodiscard]] virtual std::vector<std::size_t> sumSizes() const = 0;
    /// Numbers of a member that each of its gathers has, of full batches, each number once.
    [[nodiscard]] virtual std::vector<std::size_t> gatherSizes() const = 0;
    /// "6 of 8 epilogues fused".
    [[nodiscard]] virtual std::string describe() const = 0;
};

/// Makes the network of an engine once its state has its place.
using DeviceNetworkMaker =
    std::function<Result<std::unique_ptr<DeviceNetwork>>(const DeviceState&)>;

}  // namespace lockstep::tensor::cuda
