// SPDX-License-Identifier: Apache-2.0
#include "core/program/cuda/cuda_executor.h"

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/tensor/cuda/cuda_error.h"

namespace lockstep::program {

using tensor::cuda::check;
using tensor::cuda::deviceMemory;
using tensor::cuda::StepMoment;

namespace {

std::size_t bytesOf(std::size_t floats) {
    return floats * sizeof(float);
}

}  // namespace

CudaExecutor::~CudaExecutor() {
    cudaSetDevice(device_);
    if (stream_ != nullptr) cudaStreamSynchronize(stream_.get());
}

Result<std::unique_ptr<Executor>> CudaExecutor::make(Program program,
                                                     const CudaExecutorOptions& options) {
    std::unique_ptr<CudaExecutor> executor(new CudaExecutor(options.device, options.group));
    TRY(executor->open(std::move(program), options));
    return executor;
}

Result<void> CudaExecutor::open(Program program, const CudaExecutorOptions& options) {
    TRY(check(cudaSetDevice(device_), "being chosen"));
    stream_ = TRY(tensor::cuda::makeStreamHandle());
    products_ = TRY(tensor::cuda::LtProducts::make());
    const Value samples = program.values.front();
    const ParameterLayout layout = program.layout;
    samples_ = TRY(deviceMemory(bytesOf(static_cast<std::size_t>(samples.size(program.maxBatch)))));
    parameters_ = TRY(deviceMemory(bytesOf(layout.parameters)));
    gradients_ = TRY(deviceMemory(bytesOf(layout.parameters)));
    statistics_ = TRY(deviceMemory(bytesOf(layout.statistics)));
    moment_ = TRY(deviceMemory(sizeof(StepMoment)));
    program_ = TRY(
        DeviceProgram::make(std::move(program), *products_, options.precision, options.workBytes));
    frame_.stream = stream_.get();
    frame_.samples = samples_.as<float>().data();
    frame_.parameters = parameters_.as<float>().data();
    frame_.gradients = gradients_.as<float>().data();
    frame_.statistics = statistics_.as<float>().data();
    frame_.moment = moment_.as<StepMoment>().data();
    return {};
}

Result<void> CudaExecutor::copy(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return {};
    return check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_.get()),
                 "exchanging a step's numbers");
}

Result<void> CudaExecutor::wait() {
    return check(cudaStreamSynchronize(stream_.get()), "computing");
}

Result<void> CudaExecutor::sumOnHost(std::span<double> onDevice, ReplicaSum& sum) {
    sums_.resize(onDevice.size());
    TRY(copy(sums_.data(), onDevice.data(), onDevice.size_bytes()));
    TRY(wait());
    TRY(sum.sum(sums_));
    TRY(copy(onDevice.data(), sums_.data(), onDevice.size_bytes()));
    return wait();
}

Result<void> CudaExecutor::gatherOnHost(std::span<const float> mine, std::span<float> all) {
    LS_CHECK(group_ != nullptr, "a part of a network runs in a group");
    mine_.resize(mine.size());
    all_.resize(all.size());
    TRY(copy(mine_.data(), mine.data(), mine.size_bytes()));
    TRY(wait());
    TRY(group_->gather(mine_, all_));
    TRY(copy(all.data(), all_.data(), all.size_bytes()));
    return wait();
}

DeviceProgram::Others CudaExecutor::others(ReplicaSum& sum) {
    return {.sum = [this, &sum](std::span<double> sums) { return sumOnHost(sums, sum); },
            .gather = [this](std::span<const float> mine,
                             std::span<float> all) { return gatherOnHost(mine, all); }};
}

std::size_t CudaExecutor::outputs() const {
    const Program& program = program_->program();
    return static_cast<std::size_t>(
        program.values[static_cast<std::size_t>(program.output)].size(frame_.rows));
}

Result<std::span<const float>> CudaExecutor::forward(const StepBatch& batch,
                                                     std::span<const float> parameters,
                                                     std::span<float> statistics, ReplicaSum& sum) {
    LS_CHECK(batch.rows <= program().maxBatch, "the batch must fit the program's memory");
    LS_CHECK(parameters.size() == program().layout.parameters &&
                 statistics.size() == program().layout.statistics,
             "both flat buffers must be of the program's layout");
    TRY(check(cudaSetDevice(device_), "being chosen"));
    const StepMoment moment{batch.seed, static_cast<std::uint64_t>(batch.step),
                            static_cast<std::uint64_t>(batch.firstPlace)};
    frame_.rows = batch.rows;
    const std::int64_t samples = program().values.front().size(batch.rows);
    TRY(copy(samples_.data(), batch.samples.data(), bytesOf(static_cast<std::size_t>(samples))));
    TRY(copy(parameters_.data(), parameters.data(), parameters.size_bytes()));
    TRY(copy(statistics_.data(), statistics.data(), statistics.size_bytes()));
    TRY(copy(moment_.data(), &moment, sizeof moment));
    TRY(program_->forward(frame_, others(sum)));
    output_.resize(outputs());
    TRY(copy(output_.data(), program_->output(frame_), bytesOf(output_.size())));
    TRY(copy(statistics.data(), statistics_.data(), statistics.size_bytes()));
    TRY(wait());
    return std::span<const float>(output_);
}

std::span<float> CudaExecutor::outputGradient() {
    outputGradient_.resize(outputs());
    return outputGradient_;
}

Result<void> CudaExecutor::backward(std::span<const float> /*parameters: as forward took them*/,
                                    std::span<float> gradients, ReplicaSum& sum,
                                    const std::function<void(std::size_t)>& onComplete) {
    LS_CHECK(gradients.size() == program().layout.parameters,
             "the gradients' buffer must be of the program's layout");
    TRY(check(cudaSetDevice(device_), "being chosen"));
    TRY(copy(program_->outputGradient(), outputGradient().data(), bytesOf(outputs())));
    // What the program does not write stays as it is.
    TRY(copy(gradients_.data(), gradients.data(), gradients.size_bytes()));
    std::size_t before = gradients.size();
    const auto complete = [&](std::size_t begin) -> Result<void> {
        TRY(copy(gradients.data() + begin, frame_.gradients + begin, bytesOf(before - begin)));
        TRY(wait());
        before = begin;
        if (onComplete) onComplete(begin);
        return {};
    };
    return program_->backward(frame_, others(sum), complete);
}

}  // namespace lockstep::program
