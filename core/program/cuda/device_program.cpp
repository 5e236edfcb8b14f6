// SPDX-License-Identifier: Apache-2.0
#include "core/program/cuda/device_program.h"

#include <algorithm>

#include "core/base/try.h"
#include "core/program/cuda/device_kernels.h"
#include "core/tensor/cuda/cuda_error.h"
#include "core/tensor/cuda/memory.h"

namespace lockstep::program {

Result<std::unique_ptr<DeviceProgram>> DeviceProgram::make(Program program,
                                                           tensor::cuda::LtProducts& products,
                                                           tensor::Precision precision,
                                                           std::size_t workBytes) {
    // Kernels point into the program and its products: they stay where they are from here on.
    std::unique_ptr<DeviceProgram> made(new DeviceProgram(std::move(program), products, precision));
    std::size_t scratchBytes = 0;
    made->forward_ = TRY(made->makeKernels(made->program_.forward, workBytes, scratchBytes));
    made->backward_ = TRY(made->makeKernels(made->program_.backward, workBytes, scratchBytes));
    made->arena_ = TRY(tensor::cuda::deviceMemory(
        static_cast<std::size_t>(made->program_.arenaFloats) * sizeof(float)));
    made->scratch_ = TRY(tensor::cuda::deviceMemory(scratchBytes));
    return made;
}

Result<std::vector<DeviceKernel>> DeviceProgram::makeKernels(
    const std::vector<Instruction>& instructions, std::size_t workBytes,
    std::size_t& scratchBytes) {
    std::vector<DeviceKernel> kernels;
    for (const Instruction& instruction : instructions) {
        DeviceKernelSource source(program_, instruction, products_, workBytes);
        kernels.push_back(TRY(makeDeviceKernel(source)));
        scratchBytes = std::max(scratchBytes, source.scratchBytes());
        if (source.gathers() > 0) gatherSizes_.insert(source.gathers());
    }
    return kernels;
}

DeviceFrame DeviceProgram::within(const DeviceFrame& frame) const {
    DeviceFrame mine = frame;
    mine.arena = arena_.as<float>().data();
    mine.scratch = scratch_.as<std::byte>().data();
    return mine;
}

Result<void> DeviceProgram::run(const DeviceFrame& frame, const Instruction& instruction,
                                const DeviceKernel& kernel, const Others::Sum& sum) const {
    if (instruction.action != Action::SumAcrossReplicas) return kernel(frame);
    const Place values(program_, instruction.writes[0]);
    return sum(values.doubles(frame));
}

Result<void> DeviceProgram::forward(const DeviceFrame& frame, const Others& others) const {
    DeviceFrame mine = within(frame);
    mine.gather = &others.gather;
    for (std::size_t i = 0; i < forward_.size(); ++i)
        TRY(run(mine, program_.forward[i], forward_[i], others.sum));
    return tensor::cuda::check(cudaGetLastError(), "starting a kernel");
}

Result<void> DeviceProgram::backward(const DeviceFrame& frame, const Others& others,
                                     const Complete& onComplete) const {
    DeviceFrame mine = within(frame);
    mine.gather = &others.gather;
    for (std::size_t i = 0; i < backward_.size(); ++i) {
        TRY(run(mine, program_.backward[i], backward_[i], others.sum));
        const std::int64_t completes = program_.backward[i].completes;
        if (completes > 0 && onComplete) TRY(onComplete(static_cast<std::size_t>(completes)));
    }
    if (onComplete) TRY(onComplete(0));
    return tensor::cuda::check(cudaGetLastError(), "starting a kernel");
}

float* DeviceProgram::output() const {
    return arena_.as<float>().data() +
           program_.values[static_cast<std::size_t>(program_.output)].offset;
}

float* DeviceProgram::outputGradient() const {
    return arena_.as<float>().data() +
           program_.values[static_cast<std::size_t>(program_.outputGradient)].offset;
}

}  // namespace lockstep::program
