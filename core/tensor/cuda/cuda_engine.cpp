// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/cuda_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/tensor/cuda/cuda_error.h"
#include "core/tensor/cuda/gradient_norm.h"

namespace lockstep::tensor::cuda {

namespace {

constexpr std::chrono::microseconds kNap{50};

}  // namespace

CudaEngine::CudaEngine(int device, const EngineProgram& program, const EngineLinks& links)
    : device_(device), program_(program), reducer_(links.reducer), gatherer_(links.gatherer) {
    LS_CHECK(gatherer_ == nullptr || reducer_ != nullptr, "a row's connection has a column's");
    program_.splits.clear();
    if (reducer_ != nullptr && reducer_->localReplicas() > 1) program_.captured = false;
}

CudaEngine::~CudaEngine() {
    cudaSetDevice(device_);
    if (stream_ != nullptr && (reducer_ == nullptr || reducer_->healthy()))
        cudaStreamSynchronize(stream_.get());  // memory below must not be freed under a kernel
}

Result<std::unique_ptr<StepEngine>> CudaEngine::make(int device, const EngineProgram& program,
                                                     const DeviceNetworkMaker& makeNetwork,
                                                     const EngineLinks& links) {
    LS_CHECK(program.splits.empty() == program.isFed && program.maxBatch > 0,
             "there is something to train on");
    std::unique_ptr<CudaEngine> engine(new CudaEngine(device, program, links));
    if (auto opened = engine->open(program, makeNetwork); !opened)
        return failWithin(fmt::format("gpu:{}", device), std::move(opened).error());
    return engine;
}

Result<void> CudaEngine::enter() {
    return check(cudaSetDevice(device_), "being chosen");
}

Result<void> CudaEngine::open(const EngineProgram& program, const DeviceNetworkMaker& makeNetwork) {
    TRY(enter());
    for (StreamHandle* stream : {&stream_, &reduceStream_}) {
        auto made = makeStreamHandle();
        if (!made) return fail(std::move(made).error());
        *stream = std::move(*made);
    }
    for (EventHandle* event : {&gradientsReady_, &sumsReady_, &marker_, &scored_[0], &scored_[1]}) {
        auto made = makeEventHandle();
        if (!made) return fail(std::move(made).error());
        *event = std::move(*made);
    }
    TRY(reserveState());
    if (!program_.isFed) TRY(copySplits(program));
    network_ = TRY(makeNetwork({.parameters = dataOf<float>(parameters_),
                                .shadow = dataOf<BFloat>(shadow_),
                                .gradients = dataOf<float>(gradients_),
                                .statistics = dataOf<float>(statistics_),
                                .moment = dataOf<StepMoment>(moment_)}));
    TRY(reserveRows(std::max(program_.maxBatch, network_->evaluationRows())));
    if (program_.isFed) TRY(reserveFed());
    return warmUpReducer();
}

Result<void> CudaEngine::reserveState() {
    const std::size_t floats = program_.parameters;
    const std::size_t bytes = floats * sizeof(float);
    const std::size_t moments = program_.update.momentCount();
    const std::size_t statistics = program_.statistics * sizeof(float);
    const std::pair<Buffer*, std::size_t> device[] = {
        {&parameters_, bytes},
        {&gradients_, bytes},
        {&shadow_, isHalf() ? floats * sizeof(BFloat) : 0},
        {&moments_[0], moments > 0 ? bytes : 0},
        {&moments_[1], moments > 1 ? bytes : 0},
        {&steps_, kPlaces * sizeof(EngineStep)},
        {&figures_, kPlaces * sizeof(EngineFigures)},
        {&cursor_, sizeof(Cursor)},
        {&votes_, kVotes * sizeof(double)},
        {&statistics_, statistics},
        {&statisticsBefore_, statistics},
        {&moment_, sizeof(StepMoment)},
        {&norm_, program_.globalClipNorm != 0 ? sizeof(GradientNorm) : 0},
        {&rowVotes_, gatherer_ == nullptr ? 0 : kVotes * sizeof(double) * members()},
    };
    for (const auto& [buffer, size] : device) {
        auto memory = deviceMemory(size);
        if (!memory) return fail(std::move(memory).error());
        *buffer = std::move(*memory);
    }
    const std::pair<Buffer*, std::size_t> host[] = {
        {&stepsHost_, kPlaces * sizeof(EngineStep)},
        {&figuresHost_, kPlaces * sizeof(EngineFigures)},
        {&arrayHost_, std::max(bytes, statistics)},
        {&controlHost_, sizeof(Control)}};
    for (const auto& [buffer, size] : host) {
        auto memory = pinnedMemory(size);
        if (!memory) return fail(std::move(memory).error());
        *buffer = std::move(*memory);
    }
    state_.steps = dataOf<EngineStep>(steps_);
    state_.figures = dataOf<EngineFigures>(figures_);
    state_.places = kPlaces;
    state_.cursor = dataOf<Cursor>(cursor_);
    state_.votes = dataOf<double>(votes_);
    state_.endsOnNonFinite = program_.endsOnNonFinite ? 1 : 0;
    state_.stop = &dataOf<Control>(controlHost_)->stop;
    return {};
}

Result<void> CudaEngine::reserveRows(std::size_t rows) {
    const std::pair<Buffer*, std::size_t> wanted[] = {
        {&samples_, rows * program_.features * sizeof(float)},
        {&labels_, rows * sizeof(std::int32_t)},
        {&rowLoss_, rows * sizeof(double)},
        {&rowHit_, rows}};
    for (const auto& [buffer, bytes] : wanted)
        *buffer = TRY(deviceMemory(bytes));
    return {};
}

/// On the device where they fit; else in pinned host memory, which the gathering kernel reads.
Result<void> CudaEngine::copySplits(const EngineProgram& program) {
    for (const EngineSplit& split : program.splits) {
        SplitOnDevice here;
        here.count = static_cast<std::uint32_t>(split.labels.size());
        std::size_t freeBytes = 0;
        std::size_t totalBytes = 0;
        TRY(check(cudaMemGetInfo(&freeBytes, &totalBytes), "asking for its memory"));
        here.resident = split.images.size() < freeBytes / 2;
        for (auto [buffer, bytes] :
             {std::pair{&here.images, split.images},
              std::pair{&here.labels, std::span<const std::uint8_t>(split.labels)}}) {
            auto memory = here.resident ? deviceMemory(bytes.size()) : pinnedMemory(bytes.size());
            if (!memory) return fail(std::move(memory).error());
            *buffer = std::move(*memory);
            if (bytes.empty()) continue;
            TRY(check(cudaMemcpyAsync(buffer->data(), bytes.data(), bytes.size(), cudaMemcpyDefault,
                                      stream_.get()),
                      "taking the data set"));
        }
        splits_.push_back(std::move(here));
    }
    // A rehearsed step may have more rows than the step whose place it looks at.
    const std::size_t order = (splits_.front().count + program_.maxBatch) * sizeof(std::uint32_t);
    auto onDevice = deviceMemory(order);
    auto onHost = pinnedMemory(order);
    for (auto* memory : {&onDevice, &onHost})
        if (!*memory) return fail(memory->error());
    order_ = std::move(*onDevice);
    orderHost_ = std::move(*onHost);
    return awaitStream(kCopyTimeout);
}

/// Once with every size: NCCL connects at the first use, which all replicas must come to at the
/// same time, and which cannot be captured.
Result<void> CudaEngine::warmUpReducer() {
    if (reducer_ == nullptr) return {};
    const std::vector<std::size_t> sizes = network_->sumSizes();
    const std::size_t largest = sizes.empty() ? 0 : sizes.back();
    warmUpSums_ = TRY(deviceMemory(largest * sizeof(double)));
    const std::vector<std::size_t> gathers = network_->gatherSizes();
    const std::size_t mostGathered = gathers.empty() ? 0 : gathers.back();
    warmUpGathers_ = TRY(deviceMemory(mostGathered * (members() + 1) * sizeof(float)));
    TRY(reducer_->meetLocal());
    reducedBuckets_ = 0;
    TRY(reduceFrom(0));
    for (const std::size_t size : sizes)
        TRY(sumNow({dataOf<double>(warmUpSums_), size}));
    for (const std::size_t size : gathers) {
        float* all = dataOf<float>(warmUpGathers_);
        TRY(gatherNow({all + mostGathered * members(), size}, {all, size * members()}));
    }
    TRY(joinReduction());
    return awaitStream(kCopyTimeout);
}

Result<void> CudaEngine::await(cudaEvent_t event, Nanos timeout, Nanos spin) {
    const Nanos begin = SteadyClock::read();
    for (;;) {
        const cudaError_t state = cudaEventQuery(event);
        // Asked behind the event: sums that were aborted end, too, and are none.
        if (reducer_ != nullptr) TRY(reducer_->healthy());
        if (state != cudaErrorNotReady) return check(state, "computing");
        const Nanos waited = SteadyClock::read() - begin;
        if (waited < spin) continue;
        if (waited > timeout)
            return fail(ErrorCode::Timeout, fmt::format("gpu:{} did not finish within {:.0f} s",
                                                        device_, Seconds(timeout).count()));
        std::this_thread::sleep_for(kNap);
    }
}

Result<void> CudaEngine::awaitStream(Nanos timeout) {
    TRY(check(cudaGetLastError(), "starting a kernel"));
    TRY(check(cudaEventRecord(marker_.get(), stream_.get()), "marking"));
    return await(marker_.get(), timeout);
}

Result<void> CudaEngine::send(const Buffer& to, std::span<const float> values) {
    if (values.empty()) return {};
    std::memcpy(arrayHost_.data(), values.data(), values.size_bytes());
    TRY(check(cudaMemcpyAsync(to.data(), arrayHost_.data(), values.size_bytes(),
                              cudaMemcpyHostToDevice, stream_.get()),
              "taking weights"));
    return awaitStream(kCopyTimeout);
}

Result<void> CudaEngine::fetch(const Buffer& from, std::span<float> values) {
    if (values.empty()) return {};
    TRY(check(cudaMemcpyAsync(arrayHost_.data(), from.data(), values.size_bytes(),
                              cudaMemcpyDeviceToHost, stream_.get()),
              "giving its state"));
    TRY(awaitStream(kCopyTimeout));
    std::memcpy(values.data(), arrayHost_.data(), values.size_bytes());
    return {};
}

Result<void> CudaEngine::upload(std::span<const float> parameters,
                                std::span<const float> statistics,
                                std::span<const std::span<float>> moments) {
    LS_CHECK(parameters.size() == program_.parameters && statistics.size() == program_.statistics &&
                 moments.size() <= program_.update.momentCount(),
             "the state fits the program");
    TRY(enter());
    TRY(send(parameters_, parameters));
    TRY(send(statistics_, statistics));
    for (std::size_t i = 0; i < moments.size(); ++i)
        TRY(send(moments_[i], moments[i]));
    if (!isHalf()) return {};
    launchToBFloat16(stream_.get(), dataOf<float>(parameters_), dataOf<BFloat>(shadow_),
                     program_.parameters);
    return awaitStream(kCopyTimeout);
}

Result<void> CudaEngine::download(std::span<float> parameters, std::span<float> statistics,
                                  std::span<const std::span<float>> moments) {
    TRY(enter());
    TRY(fetch(parameters_, parameters));
    TRY(fetch(statistics_, statistics));
    for (std::size_t i = 0; i < moments.size(); ++i)
        TRY(fetch(moments_[i], moments[i]));
    return {};
}

Result<void> CudaEngine::setOrder(std::span<const std::uint32_t> order) {
    LS_CHECK(order.size_bytes() <= order_.bytes(), "the order is of the first split");
    TRY(enter());
    if (auto done = awaitStream(kCopyTimeout); !done) return done;  // the copy before has left
    std::memcpy(orderHost_.data(), order.data(), order.size_bytes());
    return check(cudaMemcpyAsync(order_.data(), orderHost_.data(), order.size_bytes(),
                                 cudaMemcpyHostToDevice, stream_.get()),
                 "taking the order of samples");
}

GatherSource CudaEngine::sourceOf(const SplitOnDevice& split, bool ordered) const {
    return {dataOf<std::uint8_t>(split.images), dataOf<std::uint8_t>(split.labels),
            ordered ? dataOf<std::uint32_t>(order_) : nullptr,
            static_cast<std::uint32_t>(program_.features)};
}

/// Loss of the samples that were gathered; the gradient is wanted where it has a place.
Result<void> CudaEngine::lossOf(const float* logits, std::uint32_t rows, float scale,
                                const StepState* state, float* gradient) {
    launchSoftmaxLoss<float>(stream_.get(), logits, dataOf<std::int32_t>(labels_),
                             {rows, static_cast<std::uint32_t>(program_.classes)}, scale, gradient,
                             dataOf<double>(rowLoss_), dataOf<std::uint8_t>(rowHit_), state);
    return check(cudaGetLastError(), "starting a kernel");
}

Result<LossTotals> CudaEngine::gradients(const EngineStep& one, std::span<float> gradients) {
    LS_CHECK(gradients.size() == program_.parameters, "a gradient for each parameter");
    TRY(enter());
    cudaStream_t stream = stream_.get();
    Control& control = *dataOf<Control>(controlHost_);
    control.totals = {};
    control.moment = {program_.seed, one.index, one.firstPlace};
    TRY(check(cudaMemcpyAsync(moment_.data(), &control.moment, sizeof control.moment,
                              cudaMemcpyDefault, stream),
              "beginning a step"));
    const OtherReplicas alone = others(false);
    launchGather<float>(stream, sourceOf(splits_.front(), true), one.first, one.count,
                        dataOf<float>(samples_), dataOf<std::int32_t>(labels_));
    const float* logits = TRY(network_->forward(stream, dataOf<float>(samples_), one.count, alone));
    TRY(lossOf(logits, one.count, one.gradientScale, nullptr, network_->outputGradient()));
    launchAddTotals(stream, dataOf<double>(rowLoss_), dataOf<std::uint8_t>(rowHit_), one.count,
                    &control.totals);
    TRY(network_->backward(stream, alone, {}));
    TRY(fetch(gradients_, gradients));
    return control.totals;
}

Result<LossTotals> CudaEngine::score(std::size_t split, std::uint32_t first, std::uint32_t count) {
    LS_CHECK(split < splits_.size() && first + count <= splits_[split].count,
             "the samples lie in a split");
    TRY(enter());
    Control& control = *dataOf<Control>(controlHost_);
    control.totals = {};
    for (std::size_t batch = 0; count > 0; ++batch) {
        // Two are under way: the device has work, and the timeout is of these alone.
        cudaEvent_t done = scored_[batch % scored_.size()].get();
        if (batch >= scored_.size()) TRY(await(done, kCopyTimeout));
        const std::uint32_t rows = std::min(count, network_->evaluationRows());
        launchGather<float>(stream_.get(), sourceOf(splits_[split], false), first, rows,
                            dataOf<float>(samples_), dataOf<std::int32_t>(labels_));
        const float* logits =
            TRY(network_->evaluate(stream_.get(), dataOf<float>(samples_), rows, others(false)));
        TRY(lossOf(logits, rows, 0, nullptr, nullptr));
        launchAddTotals(stream_.get(), dataOf<double>(rowLoss_), dataOf<std::uint8_t>(rowHit_),
                        rows, &control.totals);
        TRY(check(cudaEventRecord(done, stream_.get()), "marking"));
        first += rows;
        count -= rows;
    }
    TRY(awaitStream(kCopyTimeout));
    return control.totals;
}

std::string CudaEngine::describe() const {
    const char* precision = isHalf()                                ? "bfloat16"
                            : program_.precision == Precision::Tf32 ? "tf32"
                                                                    : "float32";
    return fmt::format("{}, {}, {}, data {}", precision, network_->describe(),
                       !program_.captured ? "launch by launch"
                       : program_.isFed   ? "two CUDA graphs a step"
                                          : "one CUDA graph a step",
                       program_.isFed             ? "and loss from the host"
                       : splits_.front().resident ? "on the device"
                                                  : "in pinned host memory");
}

}  // namespace lockstep::tensor::cuda
