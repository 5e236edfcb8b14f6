// SPDX-License-Identifier: Apache-2.0
// libcudart: what CUDA's compiler makes of kernels and launches.
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "tests/support/cuda_emulation/block.h"
#include "tests/support/cuda_emulation/device.h"
#include "tests/support/cuda_emulation/kernel_table.h"
#include "tests/support/cuda_emulation/memory.h"
#include "tests/support/cuda_emulation/told.h"

using namespace cuda_emulation;

namespace {

constexpr unsigned kMostThreads = 1024;
/// Of a grid; of its first dimension 2^31 - 1.
constexpr unsigned kMostBlocksAside = 65535;

struct Configuration {
    dim3 grid;
    dim3 block;
    std::size_t shared;
    cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;

/// By the address of the function that stands for a kernel on the host.
std::map<const void*, const Kernel*>& registered() {
    static std::map<const void*, const Kernel*> kernels;
    return kernels;
}

/// A small number with whatever was left in the padding beside it looks like the begin of one of
/// malloc()'s arenas, and is no pointer.
bool mayBePointer(const void* word) {
    constexpr std::uintptr_t kSmall = 0x10000;
    return (reinterpret_cast<std::uintptr_t>(word) & 0xFFFFFFFFU) >= kSmall;
}

/// What a device would end with an illegal address for.
void refuseHostMemory(const Kernel& kernel, void** arguments) {
    for (const void* word : kernel.words(arguments)) {
        if (!mayBePointer(word) || !Memory::get().isOutOfReach(word)) continue;
        std::fprintf(stderr, "cuda emulation: %.*s gets %p, which no device reaches\n",
                     static_cast<int>(kernel.name.size()), kernel.name.data(), word);
        std::abort();
    }
}

cudaError_t launch(const void* function, dim3 grid, dim3 block, void** arguments,
                   cudaStream_t stream) {
    const auto found = registered().find(function);
    if (found == registered().end()) return cudaErrorInvalidDeviceFunction;
    const Kernel& kernel = *found->second;
    const std::size_t threads = std::size_t{block.x} * block.y * block.z;
    if (threads == 0 || threads > kMostThreads || grid.x == 0 || grid.y == 0 || grid.z == 0 ||
        grid.x > 0x7FFFFFFFU || grid.y > kMostBlocksAside || grid.z > kMostBlocksAside)
        return cudaErrorInvalidConfiguration;
    refuseHostMemory(kernel, arguments);
    Devices& devices = Devices::get();
    const auto lock = devices.lock();
    if (devices.real(stream)->device != currentDevice()) return cudaErrorInvalidResourceHandle;
    const std::string name(kernel.name);
    return devices.enqueue(
        stream, name, [name, grid, block, waits = kernel.waits, body = kernel.bind(arguments)] {
            runGrid(name, grid, block, waits, body);
            return Progress::Done;
        });
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* /*binary*/) {
    static void* handle = nullptr;
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void** /*handle*/) {}
void __cudaUnregisterFatBinary(void** /*handle*/) {}
char __cudaInitModule(void** /*handle*/) {
    return 1;
}
void __cudaRegisterFunction(void** /*handle*/, const char* function, char* /*deviceFunction*/,
                            const char* name, int /*threadLimit*/, uint3* /*thread*/,
                            uint3* /*block*/, dim3* /*blockSize*/, dim3* /*gridSize*/,
                            int* /*warpSize*/) {
    for (const Kernel& kernel : kernelTable())
        if (std::string_view(name).find(kernel.name) != std::string_view::npos) {
            registered()[function] = &kernel;
            return;
        }
    std::fprintf(stderr, "cuda emulation: the kernel %s is not in the table\n", name);
    std::abort();
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                     CUstream_st* stream) {
    configurations.push_back({grid, block, shared, stream});
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
    const Configuration one = configurations.back();
    configurations.pop_back();
    *grid = one.grid;
    *block = one.block;
    *shared = one.shared;
    *static_cast<cudaStream_t*>(stream) = one.stream;
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t /*shared*/, cudaStream_t stream) {
    return told(launch(function, grid, block, arguments, stream));
}
/// Since CUDA 13 launches go by these; the handle is the host's function here.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
    *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
    return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t /*shared*/, cudaStream_t stream) {
    return told(launch(kernel, grid, block, arguments, stream));
}
}
