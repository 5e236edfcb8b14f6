// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/distribution/distribution.h"
#include "core/distribution/layout_map.h"

namespace lockstep::distribution {

/// What ModelParallel::make() is told.
struct ModelParallelOptions {
    std::optional<LayoutMap> layoutMap{};    ///< Must be given.
    std::optional<DeviceMesh> deviceMesh{};  ///< The map's, which stands for it where absent.
    std::string batchDimName{};              ///< Empty: the mesh's first axis.
    bool autoShardDataset = true;
};

/// The devices along one axis of the mesh share the batch, those along another one the network's
/// variables, as the layout map says of each: what no key matches lies as its layer's work wants
/// it, which changes no number. (keras.distribution.ModelParallel)
///
///     const auto mesh = DeviceMesh::make({2, 2}, {"batch", "model"});
///     LayoutMap layouts(*mesh);
///     layouts.insert("up/kernel", {std::nullopt, "model"});    // by its outputs
///     layouts.insert("down/kernel", {"model", std::nullopt});  // by its inputs
///     setDistribution(*ModelParallel::make({.layoutMap = layouts}));
class ModelParallel final : public Distribution {
public:
    /// BadInput, in Keras' words where it has some: no map, a mesh that is not the map's, a name
    /// that is no axis, processes that the replicas of the model do not divide.
    [[nodiscard]] static Result<std::shared_ptr<const ModelParallel>> make(
        const ModelParallelOptions& options);

    [[nodiscard]] const LayoutMap& layoutMap() const { return layoutMap_; }
    /// Places of the mesh along the batch's axis.
    [[nodiscard]] int numModelReplicas() const override {
        return deviceMesh().sizeOf(batchDimName());
    }
    [[nodiscard]] Result<TensorLayout> dataLayout(int dimensions) const override;
    /// What the map says of the path, else, as in Keras, that every device has all of the variable;
    /// fit() may hold such a one in parts. BadInput as LayoutMap::find().
    [[nodiscard]] Result<TensorLayout> variableLayout(const std::string& path,
                                                      int dimensions) const override;
    [[nodiscard]] std::string text() const override;

private:
    ModelParallel(LayoutMap layoutMap, std::string batchDimName, bool autoShardDataset)
        : Distribution(layoutMap.deviceMesh(), std::move(batchDimName), autoShardDataset),
          layoutMap_(std::move(layoutMap)) {}

    const LayoutMap layoutMap_;
};

}  // namespace lockstep::distribution
