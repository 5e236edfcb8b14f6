// SPDX-License-Identifier: Apache-2.0
#include "core/program/cpu/cpu_executor.h"

#include "core/base/check.h"
#include "core/base/processor_time.h"
#include "core/base/try.h"

namespace lockstep::program {

Result<std::unique_ptr<CpuExecutor>> CpuExecutor::make(tensor::Device& device, Program program,
                                                       MeshGroup* group) {
    auto arena =
        TRY(device.allocate(static_cast<std::size_t>(program.arenaFloats) * sizeof(float)));
    // Kernels point into the program: it stays where it is from here on.
    std::unique_ptr<CpuExecutor> executor(
        new CpuExecutor(std::move(program), std::move(arena), group));
    executor->forward_ = TRY(executor->makeKernels(executor->program_.forward));
    executor->backward_ = TRY(executor->makeKernels(executor->program_.backward));
    executor->frame_.arena = executor->arena_.as<float>().data();
    return executor;
}

Result<std::vector<Kernel>> CpuExecutor::makeKernels(
    const std::vector<Instruction>& instructions) const {
    std::vector<Kernel> kernels;
    for (const Instruction& instruction : instructions)
        kernels.push_back(TRY(makeKernel(KernelSource(program_, instruction))));
    return kernels;
}

void CpuExecutor::timeInto(InstructionTimes* times) {
    times_ = times;
    if (times == nullptr) return;
    times->forward.resize(forward_.size());
    times->backward.resize(backward_.size());
}

Result<void> CpuExecutor::run(const Instruction& instruction, const Kernel& kernel, ReplicaSum& sum,
                              Nanos* time) {
    if (instruction.action == Action::SumAcrossReplicas)
        return sum.sum(Place(program_, instruction.writes[0]).doubles(frame_));
    if (mesh_.isOne(instruction)) return mesh_.run(instruction, frame_);
    if (time == nullptr) {
        kernel(frame_);
        return {};
    }
    const Nanos begin = threadProcessorTime();
    kernel(frame_);
    *time += threadProcessorTime() - begin;
    return {};
}

Result<void> CpuExecutor::prepare(std::int64_t rows) {
    if (rows == preparedRows_) return {};
    for (const auto* kernels : {&forward_, &backward_})
        for (const Kernel& kernel : *kernels)
            TRY(kernel.prepare(rows));
    preparedRows_ = rows;
    return {};
}

Result<std::span<const float>> CpuExecutor::forward(const StepBatch& batch,
                                                    std::span<const float> parameters,
                                                    std::span<float> statistics, ReplicaSum& sum) {
    LS_CHECK(batch.rows <= program_.maxBatch, "the batch must fit the program's memory");
    LS_CHECK(parameters.size() == program_.layout.parameters &&
                 statistics.size() == program_.layout.statistics,
             "both flat buffers must be of the program's layout");
    TRY(prepare(batch.rows));
    frame_.rows = batch.rows;
    frame_.samples = batch.samples.data();
    frame_.parameters = parameters.data();
    frame_.statistics = statistics.data();
    frame_.seed = batch.seed;
    frame_.step = batch.step;
    frame_.firstPlace = batch.firstPlace;
    for (std::size_t i = 0; i < forward_.size(); ++i)
        TRY(run(program_.forward[i], forward_[i], sum,
                times_ == nullptr ? nullptr : &times_->forward[i]));
    const Place output(program_, program_.output);
    return std::span<const float>(output.read(frame_), output.size(frame_));
}

std::span<float> CpuExecutor::outputGradient() {
    const Place place(program_, program_.outputGradient);
    return {place.write(frame_), place.size(frame_)};
}

Result<void> CpuExecutor::backward(std::span<const float> parameters, std::span<float> gradients,
                                   ReplicaSum& sum,
                                   const std::function<void(std::size_t)>& onComplete) {
    LS_CHECK(gradients.size() == program_.layout.parameters,
             "the gradients' buffer must be of the program's layout");
    frame_.parameters = parameters.data();
    frame_.gradients = gradients.data();
    for (std::size_t i = 0; i < backward_.size(); ++i) {
        TRY(run(program_.backward[i], backward_[i], sum,
                times_ == nullptr ? nullptr : &times_->backward[i]));
        const std::int64_t completes = program_.backward[i].completes;
        if (completes > 0 && onComplete) onComplete(static_cast<std::size_t>(completes));
    }
    if (onComplete) onComplete(0);
    return {};
}

}  // namespace lockstep::program
