// SPDX-License-Identifier: Apache-2.0
// The emulation finds what it is there for: a missing order, a call that a capture forbids, a
// product that the header forbids.
#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <QtTest>
#include <array>
#include <cstring>
#include <vector>

namespace {

struct Stream {
    cudaStream_t handle = nullptr;
    Stream() { cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking); }
    ~Stream() { cudaStreamDestroy(handle); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    operator cudaStream_t() const { return handle; }  // NOLINT: as the functions take it
};

struct Event {
    cudaEvent_t handle = nullptr;
    Event() { cudaEventCreateWithFlags(&handle, cudaEventDisableTiming); }
    ~Event() { cudaEventDestroy(handle); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    operator cudaEvent_t() const { return handle; }  // NOLINT: as the functions take it
};

/// Pinned, and as the host left it.
template <typename T>
T* pinned(std::size_t count) {
    void* data = nullptr;
    if (cudaHostAlloc(&data, count * sizeof(T), cudaHostAllocPortable) != cudaSuccess)
        qFatal("no pinned memory");
    std::memset(data, 0, count * sizeof(T));
    return static_cast<T*>(data);
}

void copyInt(int* to, const int* from, cudaStream_t stream) {
    QCOMPARE(cudaMemcpyAsync(to, from, sizeof(int), cudaMemcpyDefault, stream), cudaSuccess);
}

}  // namespace

class CudaEmulationTest : public QObject {
    Q_OBJECT
private slots:
    void nothingHappensBeforeSomebodyWaits() {
        const Stream stream;
        int* values = pinned<int>(2);
        values[0] = 7;
        copyInt(values + 1, values, stream);
        QCOMPARE(values[1], 0);
        QCOMPARE(cudaStreamQuery(stream), cudaErrorNotReady);
        QCOMPARE(cudaStreamSynchronize(stream), cudaSuccess);
        QCOMPARE(values[1], 7);
        QCOMPARE(cudaFreeHost(values), cudaSuccess);
    }

    void streamsThatNothingOrdersRunInTheWrongOrder() {
        const Stream one;
        const Stream two;
        const Event ready;
        for (const bool ordered : {false, true}) {
            int* values = pinned<int>(3);
            values[0] = 7;
            copyInt(values + 1, values, one);
            QCOMPARE(cudaEventRecord(ready, one), cudaSuccess);
            if (ordered) QCOMPARE(cudaStreamWaitEvent(two, ready, 0), cudaSuccess);
            copyInt(values + 2, values + 1, two);
            QCOMPARE(cudaDeviceSynchronize(), cudaSuccess);
            QCOMPARE(values[2], ordered ? 7 : 0);
            QCOMPARE(cudaFreeHost(values), cudaSuccess);
        }
    }

    void aGraphReplaysWhatWasCaptured() {
        const Stream stream;
        int* values = pinned<int>(2);
        QCOMPARE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        copyInt(values + 1, values, stream);
        cudaGraph_t graph = nullptr;
        QCOMPARE(cudaStreamEndCapture(stream, &graph), cudaSuccess);
        cudaGraphExec_t executable = nullptr;
        QCOMPARE(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
        for (const int value : {1, 2}) {
            values[0] = value;
            QCOMPARE(cudaGraphLaunch(executable, stream), cudaSuccess);
            QCOMPARE(cudaStreamSynchronize(stream), cudaSuccess);
            QCOMPARE(values[1], value);
        }
        QCOMPARE(cudaGraphDestroy(graph), cudaSuccess);
        QCOMPARE(cudaGraphExecDestroy(executable), cudaSuccess);
        QCOMPARE(cudaFreeHost(values), cudaSuccess);
    }

    void aCaptureForbidsWhatItCannotRecord() {
        const Stream stream;
        const Stream other;
        const Event event;
        void* data = nullptr;
        cudaGraph_t graph = nullptr;
        const std::vector<std::function<cudaError_t()>> forbidden{
            [&] { return cudaMalloc(&data, 16); }, [&] { return cudaStreamSynchronize(stream); },
            [&] { return cudaDeviceSynchronize(); }, [&] { return cudaEventQuery(event); }};
        for (const auto& call : forbidden) {
            QCOMPARE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
            QCOMPARE(call(), cudaErrorStreamCaptureUnsupported);
            QCOMPARE(cudaGetLastError(), cudaErrorStreamCaptureUnsupported);
            QCOMPARE(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
        }
        QCOMPARE(cudaGetLastError(), cudaErrorStreamCaptureInvalidated);
    }

    void aCapturedStreamMustComeBack() {
        const Stream stream;
        const Stream side;
        const Event forked;
        int* values = pinned<int>(2);
        cudaGraph_t graph = nullptr;
        QCOMPARE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        copyInt(values + 1, values, stream);
        QCOMPARE(cudaEventRecord(forked, stream), cudaSuccess);
        QCOMPARE(cudaStreamWaitEvent(side, forked, 0), cudaSuccess);
        copyInt(values, values + 1, side);
        QCOMPARE(cudaEventQuery(forked), cudaErrorCapturedEvent);
        QCOMPARE(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureUnjoined);
        QCOMPARE(cudaGetLastError(), cudaErrorStreamCaptureUnjoined);
        QCOMPARE(cudaFreeHost(values), cudaSuccess);
    }

    void onlyWhatLiesInABlockIsCopied() {
        void* data = nullptr;
        QCOMPARE(cudaMalloc(&data, 100), cudaSuccess);
        const std::array<char, 101> host{};
        QCOMPARE(cudaMemcpy(data, host.data(), 100, cudaMemcpyDefault), cudaSuccess);
        QCOMPARE(cudaMemcpy(data, host.data(), 101, cudaMemcpyDefault), cudaErrorInvalidValue);
        QCOMPARE(cudaGetLastError(), cudaErrorInvalidValue);
        QCOMPARE(cudaFree(data), cudaSuccess);
    }

    void aProductNeedsWhatTheHeaderSays_data() {
        QTest::addColumn<int>("compute");
        QTest::addColumn<int>("factors");
        QTest::addColumn<int>("result");
        QTest::addColumn<int>("status");
        const auto row = [](const char* name, int compute, int factors, int result, int status) {
            QTest::newRow(name) << compute << factors << result << status;
        };
        const int single = CUBLAS_COMPUTE_32F;
        row("float32", single, CUDA_R_32F, CUDA_R_32F, CUBLAS_STATUS_SUCCESS);
        row("bfloat16", single, CUDA_R_16BF, CUDA_R_16BF, CUBLAS_STATUS_SUCCESS);
        row("float32 of bfloat16", single, CUDA_R_16BF, CUDA_R_32F, CUBLAS_STATUS_SUCCESS);
        row("bfloat16 of float32", single, CUDA_R_32F, CUDA_R_16BF, CUBLAS_STATUS_NOT_SUPPORTED);
        row("tf32 of bfloat16", CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_16BF, CUDA_R_32F,
            CUBLAS_STATUS_NOT_SUPPORTED);
    }
    void aProductNeedsWhatTheHeaderSays() {
        QFETCH(const int, compute);
        QFETCH(const int, factors);
        QFETCH(const int, result);
        QFETCH(const int, status);
        cublasLtHandle_t handle = nullptr;
        cublasLtMatmulDesc_t product = nullptr;
        std::array<cublasLtMatrixLayout_t, 3> layouts{};
        cublasLtMatmulPreference_t preference = nullptr;
        QCOMPARE(cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS);
        QCOMPARE(cublasLtMatmulDescCreate(&product, static_cast<cublasComputeType_t>(compute),
                                          CUDA_R_32F),
                 CUBLAS_STATUS_SUCCESS);
        const auto epilogue = CUBLASLT_EPILOGUE_RELU_BIAS;
        QCOMPARE(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
                                                sizeof epilogue),
                 CUBLAS_STATUS_SUCCESS);
        const std::array<int, 3> types{factors, factors, result};
        for (std::size_t i = 0; i < layouts.size(); ++i)
            QCOMPARE(cublasLtMatrixLayoutCreate(&layouts[i], static_cast<cudaDataType>(types[i]),
                                                100, 100, 100),
                     CUBLAS_STATUS_SUCCESS);
        QCOMPARE(cublasLtMatmulPreferenceCreate(&preference), CUBLAS_STATUS_SUCCESS);
        cublasLtMatmulHeuristicResult_t chosen{};
        int count = 0;
        const int answer =
            cublasLtMatmulAlgoGetHeuristic(handle, product, layouts[0], layouts[1], layouts[2],
                                           layouts[2], preference, 1, &chosen, &count);
        QCOMPARE(answer, status);
        QCOMPARE(count, status == CUBLAS_STATUS_SUCCESS ? 1 : 0);
        cublasLtMatmulPreferenceDestroy(preference);
        for (const auto layout : layouts)
            cublasLtMatrixLayoutDestroy(layout);
        cublasLtMatmulDescDestroy(product);
        cublasLtDestroy(handle);
    }
};

QTEST_GUILESS_MAIN(CudaEmulationTest)
#include "tst_cuda_emulation.moc"
