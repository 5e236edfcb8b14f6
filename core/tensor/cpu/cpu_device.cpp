// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <tuple>
#include <vector>

#include "core/tensor/cpu/gemm.h"
#include "core/tensor/device.h"

namespace lockstep::tensor {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Physical memory of this machine.
std::size_t hostMemoryBytes() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long pageSize = sysconf(_SC_PAGESIZE);
    return pages > 0 && pageSize > 0
               ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(pageSize)
               : std::numeric_limits<std::ptrdiff_t>::max();
}

void releaseHostMemory(void* data, std::size_t /*bytes*/) {
    std::free(data);
}

class CpuDevice final : public Device {
public:
    explicit CpuDevice(int index) : index_(index) {}

    [[nodiscard]] std::string name() const override { return fmt::format("cpu:{}", index_); }
    [[nodiscard]] Result<Buffer> allocate(std::size_t bytes) override;

private:
    int index_;
};

Result<Buffer> CpuDevice::allocate(std::size_t bytes) {
    if (bytes == 0) return Buffer();
    const std::size_t alignment = bytes >= kHugePage ? kHugePage : kCacheLine;
    void* data = nullptr;
    // Asked first, because the system promises more than it has and kills who uses it.
    if (bytes <= hostMemoryBytes())
        data = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (data == nullptr)
        return fail(ErrorCode::Unavailable,
                    fmt::format("The device {} has no room for {} more bytes.", name(), bytes),
                    "Use smaller layers or a smaller batch, or more processes on other hosts.");
    // Before the first touch: a step walks through all of it, which costs a TLB miss a small page.
    if (alignment == kHugePage)
        std::ignore = madvise(data, bytes, MADV_HUGEPAGE);  // Only advice; slower without.
    std::memset(data, 0, bytes);
    return Buffer(data, bytes, releaseHostMemory);
}

}  // namespace

void warmUpCpu() {
    // The library has code for wide and for narrow results, made at the first use of each.
    constexpr std::size_t kRows = 32, kWide = 256, kNarrow = 10;
    const std::vector<float> x(kRows * kWide), weight(kWide * kWide);
    std::vector<float> y(kRows * kWide), gradient(kWide * kWide);
    for (const std::size_t units : {kWide, kNarrow}) {
        const Matrix output{y.data(), kRows, units};
        const ConstMatrix input{x.data(), kRows, kWide};
        const ConstMatrix weights{weight.data(), units, kWide};
        multiplyByTransposed(input, weights, output);
        multiplyTransposedBy(output, input, Matrix{gradient.data(), units, kWide});
        multiply(ConstMatrix{x.data(), kRows, units}, weights, Matrix{y.data(), kRows, kWide});
    }
}

std::unique_ptr<Device> openCpuDevice(int index) {
    return std::make_unique<CpuDevice>(index);
}

}  // namespace lockstep::tensor
