// SPDX-License-Identifier: Apache-2.0
// The steps of the engine: windows, the captured graph, the sums of the gradients.
#include <algorithm>
#include <atomic>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/tensor/cuda/cuda_engine.h"
#include "core/tensor/cuda/cuda_error.h"
#include "core/tensor/cuda/gradient_norm.h"
#include "core/tensor/cuda/updates.h"

namespace lockstep::tensor::cuda {

/// `count` places of a ring from `begin` on, which may lie around its end.
Result<void> CudaEngine::copyRing(void* to, const void* from, std::size_t element,
                                  std::uint32_t begin, std::uint32_t count) {
    while (count > 0) {
        const std::uint32_t part = std::min(count, kPlaces - begin);
        TRY(check(cudaMemcpyAsync(static_cast<std::byte*>(to) + begin * element,
                                  static_cast<const std::byte*>(from) + begin * element,
                                  part * element, cudaMemcpyDefault, stream_.get()),
                  "exchanging figures"));
        count -= part;
        begin = 0;
    }
    return {};
}

Result<void> CudaEngine::copySteps(std::span<const EngineStep> steps) {
    const auto count = static_cast<std::uint32_t>(steps.size());
    for (std::uint32_t i = 0; i < count; ++i)
        dataOf<EngineStep>(stepsHost_)[(nextPlace_ + i) % kPlaces] = steps[i];
    return copyRing(steps_.data(), stepsHost_.data(), sizeof(EngineStep), nextPlace_, count);
}

Result<void> CudaEngine::closeWindow(std::uint32_t count) {
    Window window{nextPlace_, count, nullptr};
    TRY(copyRing(figuresHost_.data(), figures_.data(), sizeof(EngineFigures), window.begin,
                 window.count));
    window.done = TRY(makeEventHandle());
    TRY(check(cudaGetLastError(), "starting a kernel"));
    TRY(check(cudaEventRecord(window.done.get(), stream_.get()), "marking"));
    nextPlace_ = (nextPlace_ + window.count) % kPlaces;
    windows_.push_back(std::move(window));
    return {};
}

Result<void> CudaEngine::enqueue(std::span<const EngineStep> steps) {
    LS_CHECK(!steps.empty() && steps.size() <= kWindow && windows_.size() < 2,
             "at most two windows are under way");
    TRY(enter());
    TRY(copySteps(steps));
    for (const EngineStep& one : steps) {
        if (!program_.captured) {
            TRY(step(one.count, reducer_ != nullptr));
            continue;
        }
        const auto graph = TRY(graphOf(one));
        TRY(check(cudaGraphLaunch(graph, stream_.get()), "starting a step"));
    }
    return closeWindow(static_cast<std::uint32_t>(steps.size()));
}

Result<std::span<const EngineFigures>> CudaEngine::collect(Nanos timeout) {
    LS_CHECK(!windows_.empty(), "a window is under way");
    if (auto done = enter(); !done) return fail(std::move(done).error());
    const Window& window = windows_.front();
    if (auto done = await(window.done.get(), timeout); !done) return fail(std::move(done).error());
    collected_.clear();
    for (std::uint32_t i = 0; i < window.count; ++i)
        collected_.push_back(dataOf<EngineFigures>(figuresHost_)[(window.begin + i) % kPlaces]);
    windows_.erase(windows_.begin());
    return std::span<const EngineFigures>(collected_);
}

void CudaEngine::requestStop() {
    std::atomic_ref(dataOf<Control>(controlHost_)->stop).store(1);
}

Result<void> CudaEngine::step(std::uint32_t rows, bool reduced) {
    cudaStream_t stream = stream_.get();
    reducedBuckets_ = 0;
    TRY(beginStep(rows));
    const OtherReplicas others = this->others(reduced);
    const float* logits = TRY(network_->forward(stream, dataOf<float>(samples_), rows, others));
    if (rows > 0)
        TRY(lossOf(logits, rows, 0, &state_, network_->outputGradient()));
    else
        launchStamp(stream, state_, Stamp::Forward);
    launchVotes(stream, dataOf<double>(rowLoss_), dataOf<std::uint8_t>(rowHit_), rows, state_);
    return finishStep(reduced);
}

Result<void> CudaEngine::finishStep(bool reduced) {
    cudaStream_t stream = stream_.get();
    TRY(network_->backward(stream, others(reduced), [&](std::size_t begin) -> Result<void> {
        return reduced ? reduceFrom(begin) : Result<void>{};
    }));
    launchStamp(stream, state_, Stamp::Backward);
    if (reduced) {
        TRY(reduceFrom(0));
        TRY(joinReduction());
    }
    update();
    launchKeepStatistics(stream, state_, dataOf<float>(statisticsBefore_), program_.statistics,
                         dataOf<float>(statistics_));
    launchFinishStep(stream, state_);
    return check(cudaGetLastError(), "starting a kernel");
}

/// The step's samples and place, and the statistics as they are before it.
Result<void> CudaEngine::beginStep(std::uint32_t rows) {
    if (program_.isFed)  // the samples are there
        launchStepGather<float>(stream_.get(), {}, state_, 0, nullptr, nullptr);
    else
        launchStepGather<float>(stream_.get(), sourceOf(splits_.front(), true), state_, rows,
                                dataOf<float>(samples_), dataOf<std::int32_t>(labels_));
    launchBeginStep(stream_.get(), state_, program_.seed, dataOf<StepMoment>(moment_));
    if (program_.statistics == 0) return {};
    return check(cudaMemcpyAsync(statisticsBefore_.data(), statistics_.data(),
                                 program_.statistics * sizeof(float), cudaMemcpyDeviceToDevice,
                                 stream_.get()),
                 "keeping statistics");
}

/// Where nothing is reduced, normalisations take this replica's samples alone. A row's members do
/// the same at the same time, always: gathers are made in any case.
OtherReplicas CudaEngine::others(bool reduced) {
    return {.sum = [this, reduced](std::span<double> values) -> Result<void> {
                return reduced ? sumNow(values) : Result<void>{};
            },
            .gather = [this](std::span<const float> mine,
                             std::span<float> all) { return gatherNow(mine, all); }};
}

/// What the stream of sums does next comes behind the pass.
Result<void> CudaEngine::waitForPass() {
    TRY(check(cudaEventRecord(gradientsReady_.get(), stream_.get()), "marking"));
    return check(cudaStreamWaitEvent(reduceStream_.get(), gradientsReady_.get(), 0),
                 "ordering its streams");
}

/// In the middle of a pass, which goes on behind it. On the stream of all sums: connections have
/// one order of what they do, the same on all replicas, and so never wait for each other.
Result<void> CudaEngine::sumNow(std::span<double> values) {
    TRY(waitForPass());
    TRY(reducer_->enqueueSum(reduceStream_.get(), values));
    return joinReduction();
}

Result<void> CudaEngine::gatherNow(std::span<const float> mine, std::span<float> all) {
    LS_CHECK(gatherer_ != nullptr, "a part of a network has a row's connection");
    if (mine.empty()) return {};
    TRY(waitForPass());
    TRY(gatherer_->enqueueGather(reduceStream_.get(), mine, all));
    return joinReduction();
}

/// A wish to stop is a column's own until its row knows of it: all columns take the same votes.
Result<void> CudaEngine::sumVotes() {
    cudaStream_t stream = reduceStream_.get();
    TRY(reducer_->enqueueSum(stream, std::span(dataOf<double>(votes_), kVotes)));
    if (gatherer_ == nullptr) return {};
    constexpr std::size_t kFloats = kVotes * sizeof(double) / sizeof(float);
    TRY(gatherer_->enqueueGather(stream, {dataOf<float>(votes_), kFloats},
                                 {dataOf<float>(rowVotes_), kFloats * members()}));
    launchRowVotes(stream, dataOf<double>(rowVotes_), members(), state_);
    return {};
}

/// Sums the buckets that are complete once the gradients from `begin` on are; they travel on a
/// stream of their own while backward goes on.
Result<void> CudaEngine::reduceFrom(std::size_t begin) {
    const auto complete = [&] {
        return reducedBuckets_ < program_.buckets.size() &&
               program_.buckets[reducedBuckets_].begin >= begin;
    };
    if (!complete()) return {};
    TRY(waitForPass());
    if (reducedBuckets_ == 0) TRY(sumVotes());
    while (complete()) {
        const EngineBucket bucket = program_.buckets[reducedBuckets_++];
        const std::span<float> values(dataOf<float>(gradients_) + bucket.begin,
                                      bucket.end - bucket.begin);
        if (values.empty()) continue;
        TRY(reducer_->enqueueSum(reduceStream_.get(), values));
    }
    return {};
}

Result<void> CudaEngine::joinReduction() {
    TRY(check(cudaEventRecord(sumsReady_.get(), reduceStream_.get()), "marking"));
    return check(cudaStreamWaitEvent(stream_.get(), sumsReady_.get(), 0), "ordering its streams");
}

void CudaEngine::update() {
    const UpdateArrays arrays{dataOf<float>(gradients_),  dataOf<float>(parameters_),
                              dataOf<float>(moments_[0]), dataOf<float>(moments_[1]),
                              dataOf<BFloat>(shadow_),    program_.parameters};
    const float* scale = nullptr;
    if (program_.globalClipNorm != 0) {
        auto* norm = dataOf<GradientNorm>(norm_);
        launchGradientNorm(stream_.get(), program_.pieces, arrays.gradients,
                           program_.globalClipNorm, norm, state_);
        scale = &norm->scale;
    }
    launchStepUpdate(stream_.get(), program_.update, program_.pieces, arrays, scale, state_);
}

/// Runs the step's kernels once without effect, because loading them cannot be captured: marked as
/// poisoned, it changes no weights, and the cursor goes back. Replicas of other rows take no part;
/// those of this one have the same samples, and so rehearse when it does.
Result<void> CudaEngine::rehearse(const Enqueue& enqueue) {
    // On the stream: what cudaMemcpy() leaves under way is ordered with the default one alone.
    const auto copy = [this](void* to, const void* from) -> Result<void> {
        auto copied =
            check(cudaMemcpyAsync(to, from, sizeof(Cursor), cudaMemcpyDefault, stream_.get()),
                  "rehearsing a step");
        return copied ? awaitStream(kCopyTimeout) : copied;
    };
    TRY(awaitStream(kCopyTimeout));
    Cursor before;
    TRY(copy(&before, cursor_.data()));
    Cursor poisoned = before;
    poisoned.poisoned = 1;
    TRY(copy(cursor_.data(), &poisoned));
    TRY(enqueue());
    return copy(cursor_.data(), &before);
}

Result<GraphHandle> CudaEngine::capture(const Enqueue& enqueue) {
    TRY(check(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal),
              "capturing a step"));
    auto enqueued = enqueue();
    cudaGraph_t graph = nullptr;
    auto captured = check(cudaStreamEndCapture(stream_.get(), &graph), "capturing a step");
    if (enqueued) enqueued = std::move(captured);
    cudaGraphExec_t executable = nullptr;
    if (enqueued) enqueued = check(cudaGraphInstantiate(&executable, graph, 0), "capturing a step");
    if (graph != nullptr) cudaGraphDestroy(graph);
    if (!enqueued) return fail(std::move(enqueued).error());
    return GraphHandle(executable);
}

/// By the samples of all: where shares differ, this replica may know its own number of samples from
/// another kind of step, while the others capture one; NCCL wants all to capture together.
Result<cudaGraphExec_t> CudaEngine::graphOf(const EngineStep& one) {
    const std::pair kind(one.allCount, one.count);
    if (const auto known = graphs_.find(kind); known != graphs_.end()) return known->second.get();
    TRY(rehearse([&] { return step(one.count, false); }));
    auto graph = TRY(capture([&] { return step(one.count, reducer_ != nullptr); }));
    return graphs_.emplace(kind, std::move(graph)).first->second.get();
}

}  // namespace lockstep::tensor::cuda
