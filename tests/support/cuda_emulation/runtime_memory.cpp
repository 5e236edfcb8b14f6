// SPDX-License-Identifier: Apache-2.0
// libcudart: memory and copies.
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/support/cuda_emulation/device.h"
#include "tests/support/cuda_emulation/memory.h"
#include "tests/support/cuda_emulation/told.h"

using namespace cuda_emulation;

namespace {

constexpr std::chrono::seconds kDeadlock{20};

cudaError_t reserve(void** data, std::size_t bytes, Kind kind) {
    Devices& devices = Devices::get();
    auto lock = devices.lock();
    if (const cudaError_t code = devices.outsideCapture(); code != cudaSuccess) return told(code);
    // As CUDA may: behind what other GPUs of the process do, which may be a sum that waits for us.
    const auto deadline = std::chrono::steady_clock::now() + kDeadlock;
    devices.runUntil(lock, [&] {
        if (std::chrono::steady_clock::now() > deadline) {
            std::fputs("cuda emulation: an allocation waits for another GPU's sum\n", stderr);
            std::abort();
        }
        return !devices.othersHave("nccl", currentDevice());
    });
    *data = Memory::get().reserve(bytes, kind, currentDevice());
    return told(*data == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}

cudaError_t release(void* data, Kind kind) {
    if (data == nullptr) return cudaSuccess;
    Devices& devices = Devices::get();
    auto lock = devices.lock();
    if (const cudaError_t code = devices.outsideCapture(); code != cudaSuccess) return told(code);
    devices.runAll(lock);
    return told(Memory::get().release(data, kind) ? cudaSuccess : cudaErrorInvalidValue);
}

/// Whether it lies in a block but not all of it.
bool overruns(const void* data, std::size_t bytes) {
    return Memory::get().holds(data, 1) && !Memory::get().holds(data, bytes);
}

bool fits(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    Memory& memory = Memory::get();
    if (overruns(to, bytes) || overruns(from, bytes)) return false;
    const bool toDevice = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool fromDevice = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    return (!toDevice || memory.holds(to, bytes)) && (!fromDevice || memory.holds(from, bytes));
}

/// As the documentation of synchronisation has it: from pageable memory a copy has read all when
/// the call returns, to pageable memory it is done.
cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 cudaStream_t stream, bool wait) {
    if (bytes == 0) return cudaSuccess;
    if (!fits(to, from, bytes, kind)) return cudaErrorInvalidValue;
    Devices& devices = Devices::get();
    auto lock = devices.lock();
    stream = devices.real(stream);
    if (wait)
        if (const cudaError_t code = devices.outsideCapture(); code != cudaSuccess) return code;
    const bool captured = stream->capture != nullptr;
    std::shared_ptr<std::vector<std::byte>> kept;
    if (!captured && !Memory::get().holds(from, bytes)) {
        const auto* begin = static_cast<const std::byte*>(from);
        kept = std::make_shared<std::vector<std::byte>>(begin, begin + bytes);
    }
    const cudaError_t code = devices.enqueue(stream, "copy", [=] {
        std::memcpy(to, kept ? kept->data() : from, bytes);
        return Progress::Done;
    });
    const bool toPageable = !captured && !Memory::get().holds(to, bytes);
    if (code == cudaSuccess && (wait || toPageable))
        devices.runUntil(lock, [work = stream->last] { return Devices::done(work); });
    return code;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
    return reserve(data, bytes, Kind::Device);
}
cudaError_t cudaFree(void* data) {
    return release(data, Kind::Device);
}
cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned int /*flags*/) {
    return reserve(data, bytes, Kind::Pinned);
}
cudaError_t cudaFreeHost(void* data) {
    return release(data, Kind::Pinned);
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return told(copy(to, from, bytes, kind, nullptr, true));
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return told(copy(to, from, bytes, kind, stream, false));
}
cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
    if (!Memory::get().holds(data, bytes)) return told(cudaErrorInvalidValue);
    Devices& devices = Devices::get();
    const auto lock = devices.lock();
    return told(devices.enqueue(stream, "memset", [=] {
        std::memset(data, value, bytes);
        return Progress::Done;
    }));
}
/// On the default stream, and the host does not wait for it.
cudaError_t cudaMemset(void* data, int value, std::size_t bytes) {
    {
        Devices& devices = Devices::get();
        const auto lock = devices.lock();
        if (const cudaError_t code = devices.outsideCapture(); code != cudaSuccess)
            return told(code);
    }
    return cudaMemsetAsync(data, value, bytes, nullptr);
}
}
