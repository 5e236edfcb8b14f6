// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/program/cuda/device_program.h"
#include "core/program/cuda_programs.h"
#include "core/tensor/cuda/device_network.h"

namespace lockstep::program {

/// The programs of a network as what an engine's steps compute.
class ProgramNetwork final : public tensor::cuda::DeviceNetwork {
public:
    using Others = tensor::cuda::OtherReplicas;

    /// On the current device.
    [[nodiscard]] static Result<std::unique_ptr<DeviceNetwork>> make(
        const EnginePrograms& programs, const CudaExecutorOptions& options,
        const tensor::cuda::DeviceState& state);

    [[nodiscard]] std::uint32_t evaluationRows() const override {
        return static_cast<std::uint32_t>(evaluation_->program().maxBatch);
    }
    [[nodiscard]] Result<const float*> forward(cudaStream_t stream, const float* samples,
                                               std::uint32_t rows, const Others& others) override;
    [[nodiscard]] Result<const float*> evaluate(cudaStream_t stream, const float* samples,
                                                std::uint32_t rows, const Others& others) override;
    [[nodiscard]] float* outputGradient() override { return training_->outputGradient(); }
    [[nodiscard]] Result<void> backward(cudaStream_t stream, const Others& others,
                                        const Complete& onComplete) override;
    [[nodiscard]] std::vector<std::size_t> sumSizes() const override;
    [[nodiscard]] std::vector<std::size_t> gatherSizes() const override;
    [[nodiscard]] std::string describe() const override;

private:
    explicit ProgramNetwork(const tensor::cuda::DeviceState& state);

    std::unique_ptr<tensor::cuda::LtProducts> products_;
    std::unique_ptr<DeviceProgram> training_;
    std::unique_ptr<DeviceProgram> evaluation_;
    DeviceFrame frame_;
};

/// An engine that trains it; the table's.
[[nodiscard]] Result<std::unique_ptr<tensor::StepEngine>> makeProgramEngine(
    const EnginePrograms& programs, const CudaExecutorOptions& options,
    const tensor::EngineLinks& links);

}  // namespace lockstep::program
