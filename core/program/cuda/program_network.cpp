// SPDX-License-Identifier: Apache-2.0
#include "core/program/cuda/program_network.h"

#include <fmt/format.h>

#include <set>

#include "core/base/try.h"
#include "core/tensor/cuda/cuda_engine.h"

namespace lockstep::program {

ProgramNetwork::ProgramNetwork(const tensor::cuda::DeviceState& state) {
    frame_.parameters = state.parameters;
    frame_.gradients = state.gradients;
    frame_.statistics = state.statistics;
    frame_.shadow = state.shadow;
    frame_.moment = state.moment;
}

Result<std::unique_ptr<tensor::cuda::DeviceNetwork>> ProgramNetwork::make(
    const EnginePrograms& programs, const CudaExecutorOptions& options,
    const tensor::cuda::DeviceState& state) {
    std::unique_ptr<ProgramNetwork> network(new ProgramNetwork(state));
    network->products_ = TRY(tensor::cuda::LtProducts::make());
    const auto onDevice = [&](const Program& program) {
        return DeviceProgram::make(program, *network->products_, programs.steps.precision,
                                   options.workBytes);
    };
    network->training_ = TRY(onDevice(programs.training));
    network->evaluation_ = TRY(onDevice(programs.evaluation));
    return network;
}

Result<const float*> ProgramNetwork::forward(cudaStream_t stream, const float* samples,
                                             std::uint32_t rows, const Others& others) {
    frame_.stream = stream;
    frame_.samples = samples;
    frame_.rows = rows;
    TRY(training_->forward(frame_, others));
    return training_->output(frame_);
}

Result<const float*> ProgramNetwork::evaluate(cudaStream_t stream, const float* samples,
                                              std::uint32_t rows, const Others& others) {
    DeviceFrame frame = frame_;
    frame.stream = stream;
    frame.samples = samples;
    frame.rows = rows;
    TRY(evaluation_->forward(frame, others));
    return evaluation_->output(frame);
}

Result<void> ProgramNetwork::backward(cudaStream_t stream, const Others& others,
                                      const Complete& onComplete) {
    frame_.stream = stream;
    return training_->backward(frame_, others, onComplete);
}

std::vector<std::size_t> ProgramNetwork::sumSizes() const {
    const Program& program = training_->program();
    std::set<std::size_t> sizes;
    for (const auto* instructions : {&program.forward, &program.backward})
        for (const Instruction& one : *instructions)
            if (one.action == Action::SumAcrossReplicas)
                sizes.insert(static_cast<std::size_t>(
                    program.values[static_cast<std::size_t>(one.writes[0])].perBatch / 2));
    return {sizes.begin(), sizes.end()};
}

std::vector<std::size_t> ProgramNetwork::gatherSizes() const {
    std::set<std::size_t> sizes = training_->gatherSizes();
    sizes.insert(evaluation_->gatherSizes().begin(), evaluation_->gatherSizes().end());
    return {sizes.begin(), sizes.end()};
}

std::string ProgramNetwork::describe() const {
    return fmt::format("{} of {} epilogues fused", training_->products().fused(),
                       training_->products().fusable());
}

Result<std::unique_ptr<tensor::StepEngine>> makeProgramEngine(const EnginePrograms& programs,
                                                              const CudaExecutorOptions& options,
                                                              const tensor::EngineLinks& links) {
    return tensor::cuda::CudaEngine::make(
        options.device, programs.steps,
        [&](const tensor::cuda::DeviceState& state) {
            return ProgramNetwork::make(programs, options, state);
        },
        links);
}

}  // namespace lockstep::program
