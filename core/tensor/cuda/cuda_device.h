// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/tensor/cuda/lt_products.h"
#include "core/tensor/cuda/memory.h"
#include "core/tensor/device.h"
#include "core/tensor/step_engine.h"

namespace lockstep::tensor::cuda {

/// A CUDA stream with what its operations need: the products that are planned, and room for the
/// results of the rows of a batch. Keeps its first error until it is asked.
class CudaStream final : public Stream {
public:
    CudaStream(int device, StreamHandle stream, std::unique_ptr<LtProducts> products)
        : device_(device), stream_(std::move(stream)), products_(std::move(products)) {}

    [[nodiscard]] Result<void> synchronize() override;

    [[nodiscard]] cudaStream_t native() const { return stream_.get(); }
    [[nodiscard]] LtProducts& products() { return *products_; }
    /// Makes the stream's device the current one of this thread.
    void enter();
    void note(Result<void> outcome);
    /// Loss and hit of up to `rows` rows; null, and noted, when there is no memory.
    [[nodiscard]] double* rowLoss(std::size_t rows);
    [[nodiscard]] std::uint8_t* rowHit() const {
        return static_cast<std::uint8_t*>(rowHit_.data());
    }

private:
    int device_;
    StreamHandle stream_;
    std::unique_ptr<LtProducts> products_;
    Buffer rowLoss_;
    Buffer rowHit_;
    Result<void> outcome_;
};

/// GPU `index` behind the interface that the CPU has, computing in float32 or tf32.
[[nodiscard]] Result<std::unique_ptr<Device>> openDevice(int index, Precision precision);

}  // namespace lockstep::tensor::cuda
