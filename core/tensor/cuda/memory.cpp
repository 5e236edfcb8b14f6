// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/memory.h"

#include <fmt/format.h>

#include <cstring>

#include "core/tensor/cuda/cuda_error.h"

namespace lockstep::tensor::cuda {

namespace {

void releaseDevice(void* data, std::size_t /*bytes*/) {
    cudaFree(data);
}

void releasePinned(void* data, std::size_t /*bytes*/) {
    cudaFreeHost(data);
}

}  // namespace

Result<Buffer> deviceMemory(std::size_t bytes) {
    if (bytes == 0) return Buffer();
    void* data = nullptr;
    if (auto got = check(cudaMalloc(&data, bytes), fmt::format("reserving {} bytes", bytes)); !got)
        return fail(std::move(got).error());
    Buffer buffer(data, bytes, releaseDevice);
    if (auto zeroed = check(cudaMemset(data, 0, bytes), "clearing memory"); !zeroed)
        return fail(std::move(zeroed).error());
    // The clearing runs on the default stream, which ours do not wait for.
    if (auto done = check(cudaDeviceSynchronize(), "clearing memory"); !done)
        return fail(std::move(done).error());
    return buffer;
}

Result<Buffer> pinnedMemory(std::size_t bytes) {
    if (bytes == 0) return Buffer();
    void* data = nullptr;
    if (auto got = check(cudaHostAlloc(&data, bytes, cudaHostAllocPortable),
                         fmt::format("reserving {} bytes of pinned host memory", bytes));
        !got)
        return fail(std::move(got).error());
    std::memset(data, 0, bytes);
    return Buffer(data, bytes, releasePinned);
}

Result<StreamHandle> makeStreamHandle() {
    cudaStream_t stream = nullptr;
    auto made = check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    if (!made) return fail(std::move(made).error());
    return StreamHandle(stream);
}

Result<EventHandle> makeEventHandle() {
    cudaEvent_t event = nullptr;
    auto made = check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
    if (!made) return fail(std::move(made).error());
    return EventHandle(event);
}

}  // namespace lockstep::tensor::cuda
