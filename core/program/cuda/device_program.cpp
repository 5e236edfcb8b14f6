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
    TRY(made->reserveRounded());
    return made;
}

Result<void> DeviceProgram::reserveRounded() {
    if (!products_.isHalf()) return {};
    using tensor::cuda::BFloat;
    const auto floats = static_cast<std::size_t>(program_.arenaFloats);
    rounded_ = TRY(tensor::cuda::deviceMemory(floats * sizeof(BFloat)));
    if (!roundedValues_.contains(0)) return {};
    const auto samples = static_cast<std::size_t>(program_.values.front().size(program_.maxBatch));
    roundedSamples_ = TRY(tensor::cuda::deviceMemory(samples * sizeof(BFloat)));
    return {};
}

Result<std::vector<DeviceKernel>> DeviceProgram::makeKernels(
    const std::vector<Instruction>& instructions, std::size_t workBytes,
    std::size_t& scratchBytes) {
    std::vector<DeviceKernel> kernels;
    for (const Instruction& instruction : instructions) {
        DeviceKernelSource source(program_, instruction, products_, workBytes, roundedValues_);
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
    mine.rounded = rounded_.as<tensor::cuda::BFloat>().data();
    mine.roundedSamples = roundedSamples_.as<tensor::cuda::BFloat>().data();
    return mine;
}

Result<void> DeviceProgram::run(const DeviceFrame& frame, const Instruction& instruction,
                                const DeviceKernel& kernel, const Others::Sum& sum) const {
    if (instruction.action != Action::SumAcrossReplicas) return kernel(frame);
    const Place values(program_, instruction.writes[0]);
    return sum(values.doubles(frame));
}

void DeviceProgram::timeInto(InstructionTimes* times) {
    times_ = times;
    if (times == nullptr) return;
    times->clock = InstructionTimes::Clock::Device;
    times->forward.resize(forward_.size());
    times->backward.resize(backward_.size());
}

Result<void> DeviceProgram::runAll(const DeviceFrame& frame, const Others& others,
                                   const std::vector<Instruction>& instructions,
                                   const std::vector<DeviceKernel>& kernels,
                                   std::vector<Nanos>* times, const Behind& behind) {
    DeviceFrame mine = within(frame);
    mine.gather = &others.gather;
    if (times != nullptr) TRY(clock_.mark(mine.stream));
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        TRY(run(mine, instructions[i], kernels[i], others.sum));
        if (times != nullptr) TRY(clock_.mark(mine.stream));
        if (behind) TRY(behind(i));
    }
    TRY(tensor::cuda::check(cudaGetLastError(), "starting a kernel"));
    return times != nullptr ? clock_.addTo(*times) : Result<void>{};
}

Result<void> DeviceProgram::forward(const DeviceFrame& frame, const Others& others) {
    return runAll(frame, others, program_.forward, forward_,
                  times_ == nullptr ? nullptr : &times_->forward, {});
}

Result<void> DeviceProgram::backward(const DeviceFrame& frame, const Others& others,
                                     const Complete& onComplete) {
    const auto behind = [&](std::size_t i) -> Result<void> {
        const std::int64_t completes = program_.backward[i].completes;
        if (completes <= 0 || !onComplete) return {};
        return onComplete(static_cast<std::size_t>(completes));
    };
    TRY(runAll(frame, others, program_.backward, backward_,
               times_ == nullptr ? nullptr : &times_->backward, behind));
    return onComplete ? onComplete(0) : Result<void>{};
}

const float* DeviceProgram::output(const DeviceFrame& frame) const {
    return Place(program_, program_.output).read(within(frame));
}

float* DeviceProgram::outputGradient() const {
    return arena_.as<float>().data() +
           program_.values[static_cast<std::size_t>(program_.outputGradient)].offset;
}

}  // namespace lockstep::program
