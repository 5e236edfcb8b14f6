// SPDX-License-Identifier: Apache-2.0
// libcudart: the capture of a stream, and the replay of what was captured.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <vector>

#include "tests/support/cuda_emulation/device.h"
#include "tests/support/cuda_emulation/told.h"

using namespace cuda_emulation;

namespace {

/// Whether all that was captured comes before what the origin would do next.
bool isJoined(const CUgraph_st& graph) {
    std::vector<bool> isEnd(graph.operations.size(), true);
    for (const Operation& one : graph.operations)
        for (const std::size_t before : one.after)
            isEnd[before] = false;
    for (const std::size_t end : graph.ends)
        isEnd[end] = false;
    return std::ranges::find(isEnd, true) == isEnd.end();
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    Devices& devices = Devices::get();
    const auto lock = devices.lock();
    // The default stream cannot be captured.
    if (stream == nullptr) return told(cudaErrorStreamCaptureUnsupported);
    if (!devices.isStream(stream)) return told(cudaErrorInvalidResourceHandle);
    if (stream->capture != nullptr) return told(cudaErrorIllegalState);
    stream->capture = std::make_shared<Capture>();
    stream->capture->origin = stream;
    stream->capture->thread = std::this_thread::get_id();
    stream->capture->mode = mode;
    stream->lastCaptured.clear();
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    Devices& devices = Devices::get();
    const auto lock = devices.lock();
    *graph = nullptr;
    if (!devices.isStream(stream) || stream->capture == nullptr) return told(cudaErrorIllegalState);
    const auto capture = stream->capture;
    if (capture->origin != stream) return told(cudaErrorStreamCaptureUnmatched);
    if (capture->mode != cudaStreamCaptureModeRelaxed &&
        capture->thread != std::this_thread::get_id())
        return told(cudaErrorStreamCaptureWrongThread);
    capture->ended = true;
    capture->graph.ends = stream->lastCaptured;
    devices.leaveCapture(capture);
    if (capture->spoilt != cudaSuccess) return told(capture->spoilt);
    if (!isJoined(capture->graph)) return told(cudaErrorStreamCaptureUnjoined);
    *graph = new CUgraph_st(capture->graph);
    return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    Devices& devices = Devices::get();
    const auto lock = devices.lock();
    const auto& capture = devices.real(stream)->capture;
    *status = capture == nullptr               ? cudaStreamCaptureStatusNone
              : capture->spoilt == cudaSuccess ? cudaStreamCaptureStatusActive
                                               : cudaStreamCaptureStatusInvalidated;
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long /*flags*/) {
    *executable = new CUgraphExec_st{*graph};
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    Devices& devices = Devices::get();
    const auto lock = devices.lock();
    stream = devices.real(stream);
    if (!devices.isStream(stream)) return told(cudaErrorInvalidResourceHandle);
    if (stream->capture != nullptr) return told(cudaErrorNotSupported);  // a graph in a graph
    devices.replay(*executable, stream);
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    delete executable;
    return cudaSuccess;
}
}
