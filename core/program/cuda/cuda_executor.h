// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/program/cuda/device_program.h"
#include "core/program/cuda_programs.h"
#include "core/program/executor.h"
#include "core/tensor/cuda/memory.h"

namespace lockstep::program {

/// Runs a program on a GPU for a caller whose memory is the host's: everything is copied there and
/// back, and every call waits.
class CudaExecutor final : public Executor {
public:
    [[nodiscard]] static Result<std::unique_ptr<Executor>> make(Program program,
                                                                const CudaExecutorOptions& options);
    ~CudaExecutor() override;

    [[nodiscard]] const Program& program() const override { return program_->program(); }
    [[nodiscard]] Result<std::span<const float>> forward(const StepBatch& batch,
                                                         std::span<const float> parameters,
                                                         std::span<float> statistics,
                                                         ReplicaSum& sum) override;
    [[nodiscard]] std::span<float> outputGradient() override;
    [[nodiscard]] Result<void> backward(
        std::span<const float> parameters, std::span<float> gradients, ReplicaSum& sum,
        const std::function<void(std::size_t)>& onComplete) override;
    void timeInto(InstructionTimes* times) override { program_->timeInto(times); }

private:
    CudaExecutor(int device, MeshGroup* group) : device_(device), group_(group) {}

    [[nodiscard]] Result<void> open(Program program, const CudaExecutorOptions& options);
    [[nodiscard]] Result<void> copy(void* to, const void* from, std::size_t bytes);
    [[nodiscard]] Result<void> wait();
    /// A sum of the host's in the middle of the program.
    [[nodiscard]] Result<void> sumOnHost(std::span<double> onDevice, ReplicaSum& sum);
    [[nodiscard]] Result<void> gatherOnHost(std::span<const float> mine, std::span<float> all);
    [[nodiscard]] DeviceProgram::Others others(ReplicaSum& sum);
    [[nodiscard]] std::size_t outputs() const;

    int device_;
    MeshGroup* group_;
    tensor::cuda::StreamHandle stream_;
    std::unique_ptr<tensor::cuda::LtProducts> products_;
    tensor::Buffer samples_;
    tensor::Buffer parameters_;
    tensor::Buffer gradients_;
    tensor::Buffer statistics_;
    tensor::Buffer moment_;
    std::unique_ptr<DeviceProgram> program_;
    DeviceFrame frame_;
    std::vector<float> output_;
    std::vector<float> outputGradient_;
    std::vector<double> sums_;
    std::vector<float> mine_;  ///< What this member gives, and what all do.
    std::vector<float> all_;
};

}  // namespace lockstep::program
