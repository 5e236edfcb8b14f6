// SPDX-License-Identifier: Apache-2.0
// libcudart: streams and events.
#include <cuda_runtime_api.h>

#include <chrono>
#include <memory>

#include "tests/support/cuda_emulation/device.h"
#include "tests/support/cuda_emulation/told.h"

using namespace cuda_emulation;

namespace {

double now() {
    return std::chrono::duration<double, std::milli>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Waiting for a stream that is captured would wait for ever.
cudaError_t mayWaitFor(Devices& devices, cudaStream_t stream) {
    if (!devices.isStream(stream)) return cudaErrorInvalidResourceHandle;
    if (stream->capture == nullptr) return devices.outsideCapture();
    stream->capture->spoilt = cudaErrorStreamCaptureInvalidated;
    return cudaErrorStreamCaptureUnsupported;
}

cudaError_t mayWaitFor(Devices& devices, cudaEvent_t event) {
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    if (event->captured) return cudaErrorCapturedEvent;
    return devices.outsideCapture();
}

/// `stream` takes part in the capture that the event was recorded in.
cudaError_t joinCapture(cudaStream_t stream, const CUevent_st& event) {
    if (event.capture->ended) return cudaErrorCapturedEvent;
    if (stream->capture != nullptr && stream->capture != event.capture)
        return cudaErrorStreamCaptureMerge;
    if (stream->capture == nullptr) stream->lastCaptured.clear();
    stream->capture = event.capture;
    stream->lastCaptured.insert(stream->lastCaptured.end(), event.recordedInCapture.begin(),
                                event.recordedInCapture.end());
    return cudaSuccess;
}

}  // namespace

extern "C" {

/// Without cudaStreamNonBlocking a stream waits for the default one, which is not emulated.
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
    if (flags != cudaStreamNonBlocking) return told(cudaErrorNotSupported);
    Devices& devices = Devices::get();
    const auto lock = devices.lock();
    *stream = devices.addStream(currentDevice());
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    Devices& devices = Devices::get();
    const auto lock = devices.lock();
    if (!devices.isStream(stream)) return told(cudaErrorInvalidResourceHandle);
    devices.removeStream(stream);
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    Devices& devices = Devices::get();
    auto lock = devices.lock();
    stream = devices.real(stream);
    if (const cudaError_t code = mayWaitFor(devices, stream); code != cudaSuccess)
        return told(code);
    devices.runUntil(lock, [work = stream->last] { return Devices::done(work); });
    return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    Devices& devices = Devices::get();
    const auto lock = devices.lock();
    stream = devices.real(stream);
    if (const cudaError_t code = mayWaitFor(devices, stream); code != cudaSuccess)
        return told(code);
    if (Devices::done(stream->last)) return cudaSuccess;
    devices.runOne();
    return cudaErrorNotReady;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int /*flags*/) {
    Devices& devices = Devices::get();
    const auto lock = devices.lock();
    stream = devices.real(stream);
    if (!devices.isStream(stream) || event == nullptr) return told(cudaErrorInvalidResourceHandle);
    if (event->captured) return told(joinCapture(stream, *event));
    if (stream->capture != nullptr) {
        stream->capture->spoilt = cudaErrorStreamCaptureInvalidated;
        return told(cudaErrorStreamCaptureIsolation);
    }
    stream->last.insert(stream->last.end(), event->recorded.begin(), event->recorded.end());
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
    *event = new CUevent_st;
    (*event)->timed = (flags & cudaEventDisableTiming) == 0;
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    const auto lock = Devices::get().lock();
    delete event;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    Devices& devices = Devices::get();
    const auto lock = devices.lock();
    stream = devices.real(stream);
    if (!devices.isStream(stream) || event == nullptr) return told(cudaErrorInvalidResourceHandle);
    event->captured = stream->capture != nullptr;
    event->capture = stream->capture;
    event->recordedInCapture = stream->lastCaptured;
    if (event->captured) return cudaSuccess;
    if (event->timed) {
        event->milliseconds = std::make_shared<double>();
        const cudaError_t code = devices.enqueue(stream, "event", [at = event->milliseconds] {
            *at = now();
            return Progress::Done;
        });
        if (code != cudaSuccess) return told(code);
    }
    event->recorded = stream->last;
    return cudaSuccess;
}
/// Every question lets the device get on by one operation; so it is often not ready.
cudaError_t cudaEventQuery(cudaEvent_t event) {
    Devices& devices = Devices::get();
    const auto lock = devices.lock();
    if (const cudaError_t code = mayWaitFor(devices, event); code != cudaSuccess) return told(code);
    if (Devices::done(event->recorded)) return cudaSuccess;
    devices.runOne();
    return cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    Devices& devices = Devices::get();
    auto lock = devices.lock();
    if (const cudaError_t code = mayWaitFor(devices, event); code != cudaSuccess) return told(code);
    devices.runUntil(lock, [work = event->recorded] { return Devices::done(work); });
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    const auto lock = Devices::get().lock();
    if (!begin->milliseconds || !end->milliseconds) return told(cudaErrorInvalidResourceHandle);
    if (!Devices::done(begin->recorded) || !Devices::done(end->recorded)) return cudaErrorNotReady;
    *milliseconds = static_cast<float>(*end->milliseconds - *begin->milliseconds);
    return cudaSuccess;
}
}
