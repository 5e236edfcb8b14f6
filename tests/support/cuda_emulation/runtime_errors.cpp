// SPDX-License-Identifier: Apache-2.0
// libcudart: errors and devices.
#include <cuda_runtime_api.h>

#include <utility>

#include "tests/support/cuda_emulation/device.h"
#include "tests/support/cuda_emulation/memory.h"
#include "tests/support/cuda_emulation/told.h"

using namespace cuda_emulation;

namespace {

thread_local cudaError_t lastError = cudaSuccess;

struct Words {
    cudaError_t code;
    const char* name;
    const char* sentence;
};
constexpr Words kWords[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureMerge, "cudaErrorStreamCaptureMerge",
     "operation would result in a merge of separate capture sequences"},
    {cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched",
     "capture was not ended in the same stream as it began"},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined",
     "capturing stream has unjoined work"},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {cudaErrorCapturedEvent, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {cudaErrorStreamCaptureWrongThread, "cudaErrorStreamCaptureWrongThread",
     "attempt to terminate a thread-local capture sequence from another thread"},
};

const Words& wordsOf(cudaError_t code) {
    static constexpr Words kUnknown{cudaErrorUnknown, "cudaErrorUnknown", "unknown error"};
    for (const Words& one : kWords)
        if (one.code == code) return one;
    return kUnknown;
}

}  // namespace

cudaError_t cuda_emulation::told(cudaError_t code) {
    if (code != cudaSuccess && code != cudaErrorNotReady) lastError = code;
    return code;
}

extern "C" {

cudaError_t cudaGetLastError() {
    return std::exchange(lastError, cudaSuccess);
}
cudaError_t cudaPeekAtLastError() {
    return lastError;
}
const char* cudaGetErrorName(cudaError_t code) {
    return wordsOf(code).name;
}
const char* cudaGetErrorString(cudaError_t code) {
    return wordsOf(code).sentence;
}
cudaError_t cudaGetDeviceCount(int* count) {
    *count = Devices::count();
    return told(*count > 0 ? cudaSuccess : cudaErrorNoDevice);
}
cudaError_t cudaSetDevice(int device) {
    if (device < 0 || device >= Devices::count()) return told(cudaErrorInvalidDevice);
    chooseDevice(device);
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
    *device = currentDevice();
    return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
    Devices& devices = Devices::get();
    auto lock = devices.lock();
    if (const cudaError_t code = devices.outsideCapture(); code != cudaSuccess) return told(code);
    devices.runAll(lock);
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* freeBytes, std::size_t* totalBytes) {
    *freeBytes = Memory::get().freeBytes(currentDevice());
    *totalBytes = Memory::totalBytes();
    return cudaSuccess;
}
}
