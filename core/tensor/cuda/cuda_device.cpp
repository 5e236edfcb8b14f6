// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/cuda_device.h"

#include <fmt/format.h>

#include <cstring>

#include "core/tensor/cuda/cuda_error.h"
#include "core/tensor/cuda/cuda_ops.h"

namespace lockstep::tensor::cuda {

namespace {

class CudaDevice final : public Device {
public:
    CudaDevice(int index, Precision precision) : index_(index), ops_(precision) {}

    [[nodiscard]] DeviceKind kind() const override { return DeviceKind::Cuda; }
    [[nodiscard]] std::string name() const override { return fmt::format("gpu:{}", index_); }
    [[nodiscard]] Result<Buffer> allocate(std::size_t bytes, Memory memory) override {
        if (auto done = check(cudaSetDevice(index_), "being chosen"); !done)
            return fail(std::move(done).error());
        auto buffer = memory == Memory::Device ? deviceMemory(bytes) : pinnedMemory(bytes);
        if (!buffer) return failWithin(name(), std::move(buffer).error());
        return buffer;
    }
    [[nodiscard]] Result<std::unique_ptr<Stream>> makeStream() override;
    [[nodiscard]] Ops& ops() override { return ops_; }

private:
    int index_;
    CudaOps ops_;
};

Result<std::unique_ptr<Stream>> CudaDevice::makeStream() {
    if (auto done = check(cudaSetDevice(index_), "being chosen"); !done)
        return fail(std::move(done).error());
    auto stream = makeStreamHandle();
    if (!stream) return fail(std::move(stream).error());
    auto products = LtProducts::make();
    if (!products) return fail(std::move(products).error());
    return std::make_unique<CudaStream>(index_, std::move(*stream), std::move(*products));
}

}  // namespace

Result<void> CudaStream::synchronize() {
    enter();
    note(check(cudaGetLastError(), "starting a kernel"));
    note(check(cudaStreamSynchronize(native()), "computing"));
    return std::exchange(outcome_, {});
}

void CudaStream::enter() {
    note(check(cudaSetDevice(device_), "being chosen"));
}

void CudaStream::note(Result<void> outcome) {
    if (outcome_ && !outcome) outcome_ = std::move(outcome);
}

double* CudaStream::rowLoss(std::size_t rows) {
    if (rowHit_.bytes() < rows) {
        note(check(cudaStreamSynchronize(native()), "computing"));  // nobody uses the old ones
        auto loss = deviceMemory(rows * sizeof(double));
        auto hit = deviceMemory(rows);
        if (!loss || !hit) {
            note(fail(loss ? hit.error() : loss.error()));
            return nullptr;
        }
        rowLoss_ = std::move(*loss);
        rowHit_ = std::move(*hit);
    }
    return static_cast<double*>(rowLoss_.data());
}

Result<std::unique_ptr<Device>> openDevice(int index, Precision precision) {
    int count = 0;
    if (auto counted = check(cudaGetDeviceCount(&count), "being looked for"); !counted)
        return fail(std::move(counted).error());
    if (index < 0 || index >= count)
        return fail(ErrorCode::Unavailable,
                    fmt::format("there is no gpu:{}: this process sees {}", index, count));
    if (auto chosen = check(cudaSetDevice(index), "being chosen"); !chosen)
        return fail(std::move(chosen).error());
    return std::make_unique<CudaDevice>(index, precision);
}

}  // namespace lockstep::tensor::cuda
