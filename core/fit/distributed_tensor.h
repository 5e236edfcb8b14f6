// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/distribution/device_mesh.h"
#include "core/fit/tensor.h"

namespace lockstep::fit {

/// A tensor whose parts lie on the devices of a mesh; a process has those of its own devices.
/// Immutable. (A jax.Array with a NamedSharding)
class DistributedTensor {
public:
    /// Of the whole tensor.
    [[nodiscard]] NumberType type() const { return type_; }
    [[nodiscard]] const std::vector<std::uint64_t>& shape() const { return shape_; }
    [[nodiscard]] const distribution::TensorLayout& layout() const { return layout_; }
    /// This process's devices of the mesh, each with its part.
    [[nodiscard]] const std::map<std::string, Tensor>& parts() const { return parts_; }

    /// Tells it from other tensors of this type, shape and layout, alike in all processes.
    [[nodiscard]] const std::string& identity() const { return identity_; }

    /// All of it, put together from the processes that have parts; where every process has all, no
    /// numbers are sent. BadInput, in all of them, where they ask for different tensors, also of
    /// one shape and layout, or the group is another one than that of distributeTensor(). All
    /// processes of the group call it in the same order. Errors as distribution::allGather(), by
    /// way of which it goes.
    [[nodiscard]] Result<Tensor> whole(double timeoutSeconds = 300) const;

    /// For who has the parts already: those that partOf() says of this process's devices of the
    /// mesh; BadInput where one is missing, of another shape or type, or of a device that is none
    /// of these, and as partOf(). `identity`: as identity() gives it.
    [[nodiscard]] static Result<DistributedTensor> ofParts(NumberType type,
                                                           std::vector<std::uint64_t> shape,
                                                           distribution::TensorLayout layout,
                                                           std::map<std::string, Tensor> parts,
                                                           std::string identity);

private:
    DistributedTensor(NumberType type, std::vector<std::uint64_t> shape,
                      distribution::TensorLayout layout, std::string identity)
        : type_(type),
          shape_(std::move(shape)),
          layout_(std::move(layout)),
          identity_(std::move(identity)) {}

    NumberType type_;
    std::vector<std::uint64_t> shape_;
    distribution::TensorLayout layout_;
    std::string identity_;
    std::map<std::string, Tensor> parts_;
};

/// A tensor that every process has whole, as the layout puts it on the mesh's devices: this process
/// keeps the parts of its own. Nothing is sent. BadInput as distribution::partOf().
/// (keras.distribution.distribute_tensor)
[[nodiscard]] Result<DistributedTensor> distributeTensor(const Tensor& tensor,
                                                         const distribution::TensorLayout& layout);

/// The same tensor in another layout, on the same or another mesh. All processes of the group call
/// it in the same order; errors as distributeTensor() and whole(). (keras.distribution.
/// distribute_tensor of a tensor that has a layout)
[[nodiscard]] Result<DistributedTensor> relayout(const DistributedTensor& tensor,
                                                 const distribution::TensorLayout& layout,
                                                 double timeoutSeconds = 300);

}  // namespace lockstep::fit
