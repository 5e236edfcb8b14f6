// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

// What cuBLASLt is told of a product before it is asked for. The descriptions that the caller holds
// are opaque there; here they point to these.
namespace cuda_emulation {

/// Attributes by their number, as bytes.
class Attributes {
public:
    cublasStatus_t set(int attribute, const void* value, std::size_t bytes) {
        if (value == nullptr || bytes == 0) return CUBLAS_STATUS_INVALID_VALUE;
        const auto* begin = static_cast<const unsigned char*>(value);
        values_[attribute] = {begin, begin + bytes};
        return CUBLAS_STATUS_SUCCESS;
    }
    /// The attribute, `otherwise` if it was never set; nothing when it was set with another size.
    template <typename T>
    [[nodiscard]] std::optional<T> get(int attribute, T otherwise) const {
        const auto found = values_.find(attribute);
        if (found == values_.end()) return otherwise;
        if (found->second.size() != sizeof(T)) return std::nullopt;
        std::memcpy(&otherwise, found->second.data(), sizeof(T));
        return otherwise;
    }
    [[nodiscard]] const std::map<int, std::vector<unsigned char>>& all() const { return values_; }

private:
    std::map<int, std::vector<unsigned char>> values_;
};

struct Layout {
    cudaDataType_t type = CUDA_R_32F;
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::int64_t lead = 0;
    Attributes attributes;
};

struct Description {
    cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
    cudaDataType_t scale = CUDA_R_32F;
    Attributes attributes;
};

/// A matrix as it lies: element (i, j) at i + j * lead.
struct Plain {
    cudaDataType_t type = CUDA_R_32F;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t lead = 0;

    [[nodiscard]] std::size_t bytes() const;
};

/// A product that is understood and allowed: d = epilogue(alpha op(a) op(b) + beta c).
struct Product {
    Plain a, b, c, d;
    bool transposeA = false;
    bool transposeB = false;
    bool tf32 = false;
    std::size_t m = 0, n = 0, k = 0;
    cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    void* bias = nullptr;

    [[nodiscard]] std::size_t biasCount() const {
        return epilogue == CUBLASLT_EPILOGUE_BGRADB ? n : m;
    }
    [[nodiscard]] bool hasBias() const {
        return (epilogue & (CUBLASLT_EPILOGUE_BIAS | CUBLASLT_EPILOGUE_BGRADA |
                            CUBLASLT_EPILOGUE_BGRADB)) != 0;
    }
};

/// What the algorithm that was chosen relies on; lies in the caller's cublasLtMatmulAlgo_t.
struct Algorithm {
    std::uint32_t magic = 0;
    std::uint32_t alignments[4] = {};  ///< Of a, b, c, d, in bytes.
    std::uint32_t epilogue = 0;
    std::uint64_t workspace = 0;
};
inline constexpr std::uint32_t kAlgorithmMagic = 0x1057E9;

struct Understood {
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    Product product;
};
/// NotSupported for what the library has, but this emulation (or no device) does; InvalidValue for
/// what makes no sense.
[[nodiscard]] Understood understand(const Description& description, const Layout& a,
                                    const Layout& b, const Layout& c, const Layout& d);

/// d of `product`, by plain loops in float32, each sum in the order of k. Only where the device
/// works.
void multiply(const Product& product, float alpha, const void* a, const void* b, float beta,
              const void* c, void* d);

}  // namespace cuda_emulation
