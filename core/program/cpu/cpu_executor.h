// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/program/cpu/kernels.h"
#include "core/program/cpu/mesh_exchanges.h"
#include "core/program/executor.h"
#include "core/tensor/device.h"

namespace lockstep::program {

/// Runs a program on the calling thread. Results depend on the operands and the kind of processor
/// only.
class CpuExecutor final : public Executor {
public:
    /// Unavailable when there is not as much memory, as forward() for a number of samples that is
    /// new. `device` and `group` must outlive it; a program of a whole network needs no group.
    [[nodiscard]] static Result<std::unique_ptr<CpuExecutor>> make(tensor::Device& device,
                                                                   Program program,
                                                                   MeshGroup* group = nullptr);

    [[nodiscard]] const Program& program() const override { return program_; }
    [[nodiscard]] Result<std::span<const float>> forward(const StepBatch& batch,
                                                         std::span<const float> parameters,
                                                         std::span<float> statistics,
                                                         ReplicaSum& sum) override;
    [[nodiscard]] std::span<float> outputGradient() override;
    [[nodiscard]] Result<void> backward(
        std::span<const float> parameters, std::span<float> gradients, ReplicaSum& sum,
        const std::function<void(std::size_t)>& onComplete) override;

    void timeInto(InstructionTimes* times) override;

private:
    CpuExecutor(Program program, tensor::Buffer arena, MeshGroup* group)
        : program_(std::move(program)), arena_(std::move(arena)), mesh_(program_, group) {}

    [[nodiscard]] Result<std::vector<Kernel>> makeKernels(
        const std::vector<Instruction>& instructions) const;
    [[nodiscard]] Result<void> prepare(std::int64_t rows);
    [[nodiscard]] Result<void> run(const Instruction& instruction, const Kernel& kernel,
                                   ReplicaSum& sum, Nanos* time);

    Program program_;
    tensor::Buffer arena_;
    std::vector<Kernel> forward_;
    std::vector<Kernel> backward_;
    MeshExchanges mesh_;
    Frame frame_;
    std::int64_t preparedRows_ = 0;
    InstructionTimes* times_ = nullptr;
};

}  // namespace lockstep::program
