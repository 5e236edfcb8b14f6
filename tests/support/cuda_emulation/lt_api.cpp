// SPDX-License-Identifier: Apache-2.0
// libcublasLt.
#include <cublasLt.h>

#include <cstdint>
#include <cstring>

#include "tests/support/cuda_emulation/device.h"
#include "tests/support/cuda_emulation/lt_descriptions.h"
#include "tests/support/cuda_emulation/memory.h"

using namespace cuda_emulation;

struct cublasLtContext {
    int device = 0;
};

namespace {

/// The opaque handles of the header, and what they are here.
template <typename Handle, typename Own>
cublasStatus_t give(Handle* handle, Own* own) {
    *handle = reinterpret_cast<Handle>(own);
    return CUBLAS_STATUS_SUCCESS;
}
Layout& own(cublasLtMatrixLayout_t handle) {
    return *reinterpret_cast<Layout*>(handle);
}
Description& own(cublasLtMatmulDesc_t handle) {
    return *reinterpret_cast<Description*>(handle);
}
Attributes& own(cublasLtMatmulPreference_t handle) {
    return *reinterpret_cast<Attributes*>(handle);
}

bool isAligned(const void* data, std::size_t bytes) {
    return reinterpret_cast<std::uintptr_t>(data) % bytes == 0;
}

/// All that the product reads and writes, as a device would find it.
bool isReachable(const Product& p, const void* const (&arrays)[4]) {
    Memory& memory = Memory::get();
    const std::size_t element = p.d.type == CUDA_R_16BF ? 2 : 4;
    const Plain* shapes[] = {&p.a, &p.b, &p.c, &p.d};
    for (int i = 0; i < 4; ++i)
        if (!memory.holds(arrays[i], shapes[i]->bytes())) return false;
    return !p.hasBias() || (memory.holds(p.bias, p.biasCount() * element) && isAligned(p.bias, 16));
}

Algorithm algorithmFor(const Product& product, const Attributes& preference) {
    Algorithm one{.magic = kAlgorithmMagic, .epilogue = product.epilogue};
    const int attributes[] = {
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES};
    for (int i = 0; i < 4; ++i)
        one.alignments[i] = preference.get<std::uint32_t>(attributes[i], 256).value_or(256);
    one.workspace =
        preference.get<std::uint64_t>(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 0).value_or(0);
    return one;
}

}  // namespace

extern "C" {

const char* cublasLtGetStatusName(cublasStatus_t status) {
    switch (status) {
        case CUBLAS_STATUS_SUCCESS:
            return "CUBLAS_STATUS_SUCCESS";
        case CUBLAS_STATUS_INVALID_VALUE:
            return "CUBLAS_STATUS_INVALID_VALUE";
        case CUBLAS_STATUS_NOT_SUPPORTED:
            return "CUBLAS_STATUS_NOT_SUPPORTED";
        case CUBLAS_STATUS_EXECUTION_FAILED:
            return "CUBLAS_STATUS_EXECUTION_FAILED";
        default:
            return "CUBLAS_STATUS_...";
    }
}
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
    *handle = new cublasLtContext{currentDevice()};
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description,
                                        cublasComputeType_t compute, cudaDataType_t scale) {
    return give(description, new Description{compute, scale, {}});
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
    delete &own(description);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
    return own(description).attributes.set(attribute, value, bytes);
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          std::uint64_t rows, std::uint64_t columns,
                                          std::int64_t lead) {
    return give(layout, new Layout{type, rows, columns, lead, {}});
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
    delete &own(layout);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, std::size_t bytes) {
    return own(layout).attributes.set(attribute, value, bytes);
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
    return give(preference, new Attributes);
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
    delete &own(preference);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes) {
    return own(preference).set(attribute, value, bytes);
}

/// One algorithm, or none.
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t /*handle*/,
                                              cublasLtMatmulDesc_t description,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* count) {
    *count = 0;
    if (most < 1) return CUBLAS_STATUS_INVALID_VALUE;
    const Understood found = understand(own(description), own(a), own(b), own(c), own(d));
    if (found.status != CUBLAS_STATUS_SUCCESS) return found.status;
    const Algorithm one = algorithmFor(found.product, own(preference));
    static_assert(sizeof one <= sizeof results[0].algo);
    results[0] = {};
    std::memcpy(&results[0].algo, &one, sizeof one);
    results[0].workspaceSize = one.workspace;
    results[0].state = CUBLAS_STATUS_SUCCESS;
    *count = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t description,
                              const void* alpha, const void* a, cublasLtMatrixLayout_t layoutA,
                              const void* b, cublasLtMatrixLayout_t layoutB, const void* beta,
                              const void* c, cublasLtMatrixLayout_t layoutC, void* d,
                              cublasLtMatrixLayout_t layoutD, const cublasLtMatmulAlgo_t* algorithm,
                              void* workspace, std::size_t workspaceBytes, cudaStream_t stream) {
    const Understood found =
        understand(own(description), own(layoutA), own(layoutB), own(layoutC), own(layoutD));
    if (found.status != CUBLAS_STATUS_SUCCESS) return found.status;
    if (handle->device != currentDevice() || algorithm == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    Algorithm chosen;
    std::memcpy(static_cast<void*>(&chosen), algorithm, sizeof chosen);
    const void* const arrays[] = {a, b, c, d};
    if (chosen.magic != kAlgorithmMagic || chosen.epilogue != found.product.epilogue ||
        workspaceBytes < chosen.workspace || !isReachable(found.product, arrays) ||
        !Memory::get().holds(workspace, workspaceBytes))
        return CUBLAS_STATUS_INVALID_VALUE;
    for (int i = 0; i < 4; ++i)
        if (!isAligned(arrays[i], chosen.alignments[i])) return CUBLAS_STATUS_INVALID_VALUE;
    const float scaleProduct = *static_cast<const float*>(alpha);
    const float scaleC = *static_cast<const float*>(beta);
    Devices& devices = Devices::get();
    const auto lock = devices.lock();
    const cudaError_t code = devices.enqueue(stream, "matmul", [=, product = found.product] {
        constexpr std::size_t kTouched = 4096;  // whoever shares the workspace notices
        std::memset(workspace, 0xA5, std::min(kTouched, workspaceBytes));
        multiply(product, scaleProduct, a, b, scaleC, c, d);
        return Progress::Done;
    });
    return code == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
}
