// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cuda_emulation/device.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tests/support/cuda_emulation/memory.h"

namespace cuda_emulation {

namespace {

constexpr std::chrono::microseconds kNap{50};  // nothing tells what another process has put down
thread_local int current = 0;

/// Kernels are compiled with --ftz=true: denormals count as zero while the device works.
class WithoutDenormals {
#if defined(__x86_64__)
public:
    WithoutDenormals() {
        _mm_setcsr(before_ | kFlushAndZero);
    }
    ~WithoutDenormals() {
        _mm_setcsr(before_);
    }
    WithoutDenormals(const WithoutDenormals&) = delete;
    WithoutDenormals& operator=(const WithoutDenormals&) = delete;

private:
    static constexpr unsigned kFlushAndZero = 0x8040;
    unsigned before_ = _mm_getcsr();
#endif
};

bool firstFirst() {
    static const char* order = std::getenv("CUDA_EMULATION_ORDER");
    return order != nullptr && std::strcmp(order, "first") == 0;
}

}  // namespace

int currentDevice() {
    return current;
}

void chooseDevice(int device) {
    current = device;
}

Devices& Devices::get() {
    static Devices& devices = *new Devices();  // outlives whoever frees at the program's end
    return devices;
}

int Devices::count() {
    const char* hidden = std::getenv("CUDA_VISIBLE_DEVICES");
    if (hidden != nullptr && (*hidden == '\0' || *hidden == '-')) return 0;
    const char* devices = std::getenv("FAKE_CUDA_DEVICES");  // as the driver's stand-in
    return devices == nullptr ? 1 : std::atoi(devices);
}

cudaStream_t Devices::addStream(int device) {
    auto* stream = new CUstream_st;
    stream->device = device;
    streams_.insert(stream);
    return stream;
}

void Devices::removeStream(cudaStream_t stream) {
    streams_.erase(stream);
    delete stream;
}

cudaStream_t Devices::real(cudaStream_t stream) {
    if (stream != nullptr) return stream;
    cudaStream_t& one = defaultStreams_[current];
    if (one == nullptr) one = addStream(current);
    return one;
}

bool Devices::done(const std::vector<Work>& work) {
    return std::ranges::all_of(work, &Operation::done);
}

Work Devices::add(int device, std::string name, Action action, const std::vector<Work>& after) {
    auto work = std::make_shared<Operation>();
    work->name = std::move(name);
    work->action = std::move(action);
    work->device = device;
    work->number = next_++;
    for (const Work& one : after) {
        if (one->done) continue;
        one->followers.push_back(work);
        ++work->unmet;
    }
    ++pending_[device];
    ++named_[{work->name, device}];
    if (work->unmet == 0) ready_.emplace(work->number, work);
    return work;
}

cudaError_t Devices::enqueue(cudaStream_t stream, std::string name, Action action) {
    stream = real(stream);
    if (!isStream(stream)) return cudaErrorInvalidResourceHandle;
    if (stream->capture == nullptr) {
        stream->last = {add(stream->device, std::move(name), std::move(action), stream->last)};
        return cudaSuccess;
    }
    auto& operations = stream->capture->graph.operations;
    operations.emplace_back();
    operations.back().name = std::move(name);
    operations.back().action = std::move(action);
    operations.back().after = stream->lastCaptured;
    stream->lastCaptured = {operations.size() - 1};
    return cudaSuccess;
}

void Devices::replay(const CUgraphExec_st& graph, cudaStream_t stream) {
    std::vector<Work> made;
    for (const Operation& one : graph.graph.operations) {
        std::vector<Work> after;
        for (const std::size_t place : one.after)
            after.push_back(made[place]);
        made.push_back(
            add(stream->device, one.name, one.action, one.after.empty() ? stream->last : after));
    }
    if (made.empty()) return;
    stream->last.clear();
    for (const std::size_t end : graph.graph.ends)
        stream->last.push_back(made[end]);
}

void Devices::finish(const Work& work) {
    work->done = true;
    work->action = nullptr;
    --pending_[work->device];
    --named_[{work->name, work->device}];
    for (const Work& one : std::exchange(work->followers, {}))
        if (--one->unmet == 0) ready_.emplace(one->number, one);
}

bool Devices::runOne() {
    std::vector<Work> order;
    for (const auto& [number, work] : ready_)
        order.push_back(work);
    if (!firstFirst()) std::ranges::reverse(order);
    const DeviceWorks works;
    [[maybe_unused]] const WithoutDenormals flushed;
    for (const Work& work : order) {
        if (work->action() == Progress::Waiting) continue;
        ready_.erase(work->number);
        finish(work);
        return true;
    }
    return false;
}

void Devices::runUntil(Lock& lock, const std::function<bool()>& holds) {
    while (!holds()) {
        if (runOne()) continue;
        lock.unlock();
        std::this_thread::sleep_for(kNap);  // a pause: others enqueue what this one waits for
        lock.lock();
    }
}

bool Devices::othersHave(std::string_view name, int device) const {
    return std::ranges::any_of(named_, [&](const auto& entry) {
        return entry.first.first == name && entry.first.second != device && entry.second > 0;
    });
}

void Devices::runAll(Lock& lock) {
    runUntil(lock, [this, device = current] { return pending_[device] == 0; });
}

cudaError_t Devices::outsideCapture() {
    for (const cudaStream_t stream : streams_) {
        if (stream->capture == nullptr || stream->capture->origin != stream) continue;
        Capture& capture = *stream->capture;
        if (capture.mode == cudaStreamCaptureModeRelaxed) continue;
        if (capture.mode == cudaStreamCaptureModeThreadLocal &&
            capture.thread != std::this_thread::get_id())
            continue;
        capture.spoilt = cudaErrorStreamCaptureInvalidated;
        return cudaErrorStreamCaptureUnsupported;
    }
    return cudaSuccess;
}

void Devices::leaveCapture(const std::shared_ptr<Capture>& capture) {
    for (const cudaStream_t stream : streams_) {
        if (stream->capture != capture) continue;
        stream->capture = nullptr;
        stream->lastCaptured.clear();
    }
}

}  // namespace cuda_emulation
