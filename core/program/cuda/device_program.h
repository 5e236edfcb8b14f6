// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/program/cuda/device_clock.h"
#include "core/program/cuda/device_frame.h"
#include "core/program/cuda/device_products.h"
#include "core/program/instruction_times.h"
#include "core/program/program.h"
#include "core/tensor/buffer.h"

namespace lockstep::program {

/// A program on the current GPU: its arena, and a kernel for each of its instructions. Everything
/// is enqueued on the frame's stream; one stream at a time. Results depend on the operands and the
/// kind of GPU only: no sum is made in an order of chance.
class DeviceProgram {
public:
    using Others = tensor::cuda::OtherReplicas;
    /// The gradients from here on are final, and their parameters are not read again.
    using Complete = std::function<Result<void>(std::size_t)>;

    /// `products` must outlive it. `workBytes`: what windows and weights of an instruction may take
    /// before its batch is cut. Unavailable: the device has not as much memory.
    [[nodiscard]] static Result<std::unique_ptr<DeviceProgram>> make(
        Program program, tensor::cuda::LtProducts& products, tensor::Precision precision,
        std::size_t workBytes);

    [[nodiscard]] const Program& program() const { return program_; }
    [[nodiscard]] const DeviceProducts& products() const { return products_; }

    /// In the frame: all but arena and scratch, which are the program's own. A size of batch that
    /// is new chooses its products' algorithms: not while a graph is captured.
    [[nodiscard]] Result<void> forward(const DeviceFrame& frame, const Others& others);
    [[nodiscard]] Result<void> backward(const DeviceFrame& frame, const Others& others,
                                        const Complete& onComplete);

    /// As Executor::timeInto().
    void timeInto(InstructionTimes* times);

    /// Of the batch in the frame: the samples themselves where nothing is computed.
    [[nodiscard]] const float* output(const DeviceFrame& frame) const;
    [[nodiscard]] float* outputGradient() const;
    /// Bytes that the arena and the scratch take.
    [[nodiscard]] std::size_t bytes() const {
        return arena_.bytes() + scratch_.bytes() + rounded_.bytes() + roundedSamples_.bytes();
    }
    /// Numbers of each member that its gathers take at a time, each size once, of a full batch.
    [[nodiscard]] const std::set<std::size_t>& gatherSizes() const { return gatherSizes_; }

private:
    DeviceProgram(Program program, tensor::cuda::LtProducts& products, tensor::Precision precision)
        : program_(std::move(program)), products_(products, precision) {}

    [[nodiscard]] Result<std::vector<DeviceKernel>> makeKernels(
        const std::vector<Instruction>& instructions, std::size_t workBytes,
        std::size_t& scratchBytes);
    [[nodiscard]] Result<void> reserveRounded();
    [[nodiscard]] DeviceFrame within(const DeviceFrame& frame) const;
    /// One instruction after the other; behind(index) each of them.
    using Behind = std::function<Result<void>(std::size_t)>;
    [[nodiscard]] Result<void> runAll(const DeviceFrame& frame, const Others& others,
                                      const std::vector<Instruction>& instructions,
                                      const std::vector<DeviceKernel>& kernels,
                                      std::vector<Nanos>* times, const Behind& behind);
    [[nodiscard]] Result<void> run(const DeviceFrame& frame, const Instruction& instruction,
                                   const DeviceKernel& kernel, const Others::Sum& sum) const;

    Program program_;
    DeviceProducts products_;
    tensor::Buffer arena_;
    tensor::Buffer scratch_;
    tensor::Buffer rounded_;         ///< In bfloat16 a number for each of the arena.
    tensor::Buffer roundedSamples_;  ///< Where products read them.
    std::set<ValueId> roundedValues_;
    std::vector<DeviceKernel> forward_;
    std::vector<DeviceKernel> backward_;
    std::set<std::size_t> gatherSizes_;
    InstructionTimes* times_ = nullptr;
    DeviceClock clock_;
};

}  // namespace lockstep::program
