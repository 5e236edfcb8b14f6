// SPDX-License-Identifier: Apache-2.0
// Steps whose samples and loss are the host's: two halves, between which it has the outputs.
#include "core/base/check.h"
#include "core/base/try.h"
#include "core/tensor/cuda/cuda_engine.h"
#include "core/tensor/cuda/cuda_error.h"

namespace lockstep::tensor::cuda {

namespace {

constexpr std::chrono::seconds kOutputsTimeout{600};
/// The host has nothing else to do until outputs are there, and the device waits for it then.
constexpr std::chrono::milliseconds kSpinForOutputs{5};

}  // namespace

Result<void> CudaEngine::reserveFed() {
    const std::size_t rows = program_.maxBatch;
    samplesHost_ = TRY(pinnedMemory(rows * program_.features * sizeof(float)));
    outputsHost_ = TRY(pinnedMemory(rows * program_.classes * sizeof(float)));
    outputGradientHost_ = TRY(pinnedMemory(rows * program_.classes * sizeof(float)));
    outputsReady_ = TRY(makeEventHandle());
    return {};
}

std::span<float> CudaEngine::samplesOfStep() {
    return {dataOf<float>(samplesHost_), program_.maxBatch * program_.features};
}

std::span<float> CudaEngine::outputGradient() {
    return {dataOf<float>(outputGradientHost_), fedRows_ * program_.classes};
}

Result<void> CudaEngine::enqueueForward(std::uint32_t rows) {
    cudaStream_t stream = stream_.get();
    TRY(check(
        cudaMemcpyAsync(samples_.data(), samplesHost_.data(),
                        rows * program_.features * sizeof(float), cudaMemcpyHostToDevice, stream),
        "taking samples"));
    TRY(beginStep(rows));
    const float* outputs =
        TRY(network_->forward(stream, dataOf<float>(samples_), rows, others(reducer_ != nullptr)));
    return check(
        cudaMemcpyAsync(outputsHost_.data(), outputs, rows * program_.classes * sizeof(float),
                        cudaMemcpyDeviceToHost, stream),
        "giving outputs");
}

Result<void> CudaEngine::enqueueBackward(std::uint32_t rows) {
    cudaStream_t stream = stream_.get();
    reducedBuckets_ = 0;
    TRY(check(
        cudaMemcpyAsync(network_->outputGradient(), outputGradientHost_.data(),
                        rows * program_.classes * sizeof(float), cudaMemcpyHostToDevice, stream),
        "taking the outputs' gradient"));
    launchHostVotes(stream, &dataOf<Control>(controlHost_)->totals, state_);
    return finishStep(reducer_ != nullptr);
}

/// 0: up to the outputs; 1: from their gradient on.
Result<void> CudaEngine::runHalf(std::size_t half) {
    const std::uint32_t rows = fedRows_;
    const auto forward = [this, rows] { return enqueueForward(rows); };
    const auto backward = [this, rows] { return enqueueBackward(rows); };
    if (!program_.captured) return half == 0 ? forward() : backward();
    auto known = halves_.find(rows);
    if (known == halves_.end()) {
        TRY(rehearse([&]() -> Result<void> {
            TRY(forward());
            return backward();
        }));
        std::array<GraphHandle, 2> graphs{TRY(capture(forward)), TRY(capture(backward))};
        known = halves_.emplace(rows, std::move(graphs)).first;
    }
    return check(cudaGraphLaunch(known->second[half].get(), stream_.get()), "starting a step");
}

Result<std::span<const float>> CudaEngine::forward(const EngineStep& one) {
    LS_CHECK(
        program_.isFed && one.count > 0 && one.count <= program_.maxBatch && windows_.size() < 2,
        "a step of a lone replica has samples, and follows one that is enqueued");
    TRY(enter());
    fedRows_ = one.count;
    TRY(copySteps({&one, 1}));
    TRY(runHalf(0));
    TRY(check(cudaGetLastError(), "starting a kernel"));
    TRY(check(cudaEventRecord(outputsReady_.get(), stream_.get()), "marking"));
    TRY(await(outputsReady_.get(), kOutputsTimeout, kSpinForOutputs));
    return std::span<const float>(dataOf<float>(outputsHost_), fedRows_ * program_.classes);
}

Result<void> CudaEngine::backward(const LossTotals& loss) {
    LS_CHECK(program_.isFed && windows_.size() < 2, "its outputs came before");
    TRY(enter());
    dataOf<Control>(controlHost_)->totals = loss;
    TRY(runHalf(1));
    return closeWindow(1);
}

}  // namespace lockstep::tensor::cuda
