// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/program/cuda/device_frame.h"
#include "core/program/cuda/device_products.h"
#include "core/program/program.h"
#include "core/tensor/buffer.h"

namespace lockstep::program {

/// A program on the current GPU: its arena, and a kernel for each of its instructions. Everything
/// is enqueued on the frame's stream; one stream at a time. Results depend on the operands and the
/// kind of GPU only: no sum is made in an order of chance.
class DeviceProgram {
public:
    /// Adds doubles in the device's memory over all replicas, behind what the stream has.
    using Sum = std::function<Result<void>(std::span<double>)>;
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
    [[nodiscard]] Result<void> forward(const DeviceFrame& frame, const Sum& sum) const;
    [[nodiscard]] Result<void> backward(const DeviceFrame& frame, const Sum& sum,
                                        const Complete& onComplete) const;

    /// Of the batch in the frame.
    [[nodiscard]] float* output() const;
    [[nodiscard]] float* outputGradient() const;
    /// Bytes that the arena and the scratch take.
    [[nodiscard]] std::size_t bytes() const { return arena_.bytes() + scratch_.bytes(); }

private:
    DeviceProgram(Program program, tensor::cuda::LtProducts& products, tensor::Precision precision)
        : program_(std::move(program)), products_(products, precision) {}

    [[nodiscard]] Result<std::vector<DeviceKernel>> makeKernels(
        const std::vector<Instruction>& instructions, std::size_t workBytes,
        std::size_t& scratchBytes);
    [[nodiscard]] DeviceFrame within(const DeviceFrame& frame) const;
    [[nodiscard]] Result<void> run(const DeviceFrame& frame, const Instruction& instruction,
                                   const DeviceKernel& kernel, const Sum& sum) const;

    Program program_;
    DeviceProducts products_;
    tensor::Buffer arena_;
    tensor::Buffer scratch_;
    std::vector<DeviceKernel> forward_;
    std::vector<DeviceKernel> backward_;
};

}  // namespace lockstep::program
