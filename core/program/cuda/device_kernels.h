// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <vector>

#include "core/program/cpu/kernels.h"
#include "core/program/cpu/shapes.h"
#include "core/program/cuda/device_frame.h"
#include "core/program/cuda/device_products.h"
#include "core/tensor/buffer.h"
#include "core/tensor/cuda/layers/pointwise.h"
#include "core/tensor/cuda/layers/window_walk.h"

namespace lockstep::program {

/// A value as products read it: as it is, or rounded. The rounded numbers stay as long as the value
/// does; the first instruction that reads them makes them.
class FactorPlace {
public:
    FactorPlace() = default;
    FactorPlace(Place place, bool isSamples, bool isMade)
        : place_(place), isSamples_(isSamples), isMade_(isMade) {}

    [[nodiscard]] const void* read(const DeviceFrame& frame, const DeviceProducts& products) const;

private:
    Place place_;
    bool isSamples_ = false;
    bool isMade_ = false;
};

/// What the makers of a GPU's kernels see: an instruction, and where its kernel works.
class DeviceKernelSource : public KernelSource {
public:
    DeviceKernelSource(const Program& program, const Instruction& instruction,
                       DeviceProducts& products, std::size_t workBytes, std::set<ValueId>& rounded)
        : KernelSource(program, instruction),
          products_(products),
          workBytes_(workBytes),
          rounded_(rounded) {}

    [[nodiscard]] DeviceProducts& products() const { return products_; }
    /// What a kernel that may cut its batch should not take much more of.
    [[nodiscard]] std::size_t workBytes() const { return workBytes_; }
    [[nodiscard]] std::size_t maxBatch() const {
        return static_cast<std::size_t>(program().maxBatch);
    }
    /// To be asked for in the order of the instructions, and read by each that has asked.
    [[nodiscard]] FactorPlace factor(std::size_t which) {
        const ValueId value = instruction().reads[which];
        return {read(which), value == 0, !rounded_.insert(value).second};
    }
    /// Room in the frame's scratch for the instruction; gives its offset.
    [[nodiscard]] std::size_t reserve(std::size_t bytes) {
        constexpr std::size_t kAlignment = 256;
        const std::size_t offset = scratch_;
        scratch_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
        return offset;
    }
    [[nodiscard]] std::size_t scratchBytes() const { return scratch_; }
    /// The instruction gathers so many numbers of each member at a time, at most.
    void addGather(std::size_t numbers) { gathers_ = std::max(gathers_, numbers); }
    [[nodiscard]] std::size_t gathers() const { return gathers_; }

private:
    DeviceProducts& products_;
    std::size_t workBytes_;
    std::set<ValueId>& rounded_;  ///< Values that instructions before this one have rounded.
    std::size_t scratch_ = 0;
    std::size_t gathers_ = 0;
};

/// A part of the scratch as numbers of type T.
template <typename T>
[[nodiscard]] T* scratchAt(const DeviceFrame& frame, std::size_t offset) {
    // NOLINTNEXTLINE(bugprone-casting-through-void): scratch is memory without a type.
    return static_cast<T*>(static_cast<void*>(frame.scratch + offset));
}

/// Softmax is none.
[[nodiscard]] tensor::cuda::Activate activateOf(const model::Activation& activation);
/// `channels` are the image's.
[[nodiscard]] tensor::cuda::WindowWalk walkOf(const model::Window& window, const ImageShape& image);
/// Sums of a gradient's columns, as floats; `scratch` of columnSumsScratch() bytes.
void sumColumns(const DeviceFrame& frame, const float* dy, std::size_t rows, std::size_t columns,
                std::size_t scratch, float* sums);
[[nodiscard]] std::size_t rowsOf(const DeviceFrame& frame);
/// `count` numbers of a weight as a product's factor: rounded, where products want that, into the
/// scratch at `scratch`, unless they lie rounded beside the parameters.
[[nodiscard]] const void* weightFactorOf(const DeviceFrame& frame, const DeviceProducts& products,
                                         const TensorPlace& weight, std::size_t count,
                                         std::size_t scratch);

/// What makes the kernels of an operation that has one for each of these actions.
struct DeviceKernelMakers {
    using Maker = DeviceKernel (*)(DeviceKernelSource&);
    Maker forward;
    Maker parameterGradient;
    Maker inputGradient;
};
/// The kernel of the instruction's action.
[[nodiscard]] DeviceKernel byAction(DeviceKernelSource& source, const DeviceKernelMakers& makers);

// The makers, a family of operations each, as those of core/program/cpu/kernels.h. Unavailable
// where memory or a library refuses.
[[nodiscard]] Result<DeviceKernel> makeDeviceDense(DeviceKernelSource& source);
[[nodiscard]] Result<DeviceKernel> makeDeviceConvolution(DeviceKernelSource& source);
[[nodiscard]] Result<DeviceKernel> makeDeviceGroupedConvolution(DeviceKernelSource& source);
[[nodiscard]] Result<DeviceKernel> makeDevicePooling(DeviceKernelSource& source);
[[nodiscard]] Result<DeviceKernel> makeDeviceBatchNormalization(DeviceKernelSource& source);
[[nodiscard]] Result<DeviceKernel> makeDeviceLayerNormalization(DeviceKernelSource& source);
[[nodiscard]] Result<DeviceKernel> makeDeviceGroupNormalization(DeviceKernelSource& source);
[[nodiscard]] Result<DeviceKernel> makeDeviceTransposedConvolution(DeviceKernelSource& source);
[[nodiscard]] Result<DeviceKernel> makeDeviceRecurrence(DeviceKernelSource& source);
[[nodiscard]] Result<DeviceKernel> makeDeviceAttention(DeviceKernelSource& source);
[[nodiscard]] Result<DeviceKernel> makeDeviceEmbedding(DeviceKernelSource& source);
[[nodiscard]] Result<DeviceKernel> makeDevicePointwise(DeviceKernelSource& source);
[[nodiscard]] Result<DeviceKernel> makeDeviceMove(DeviceKernelSource& source);
[[nodiscard]] Result<DeviceKernel> makeDeviceDropout(DeviceKernelSource& source);
[[nodiscard]] Result<DeviceKernel> makeDeviceMesh(DeviceKernelSource& source);

/// By the operation of the instruction's node.
[[nodiscard]] Result<DeviceKernel> makeDeviceKernel(DeviceKernelSource& source);

}  // namespace lockstep::program
