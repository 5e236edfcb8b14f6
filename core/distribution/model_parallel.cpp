// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/model_parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"

namespace lockstep::distribution {

Result<std::shared_ptr<const ModelParallel>> ModelParallel::make(
    const ModelParallelOptions& options) {
    if (!options.layoutMap)
        return fail(ErrorCode::BadInput, "You must specify a layout_map argument.");
    const DeviceMesh& mesh = options.layoutMap->deviceMesh();
    if (options.deviceMesh && *options.deviceMesh != mesh)
        return fail(ErrorCode::BadInput, "deviceMesh is another mesh than that of layoutMap",
                    "Leave deviceMesh out, or make the map with it.");
    const std::string batch =
        options.batchDimName.empty() ? mesh.axisNames().front() : options.batchDimName;
    if (mesh.sizeOf(batch) == 0)
        return fail(ErrorCode::BadInput,
                    fmt::format("batchDimName is '{}', but the mesh has the axes {}",
                                sanitizeLine(batch, 40), joinWords(mesh.axisNames())),
                    "Name the axis along which the batch is shared.");
    auto made = std::shared_ptr<const ModelParallel>(
        new ModelParallel(*options.layoutMap, batch, options.autoShardDataset));
    const int processes = made->numProcesses();
    const int replicas = made->numModelReplicas();
    if (processes > replicas && processes % replicas != 0)
        return fail(ErrorCode::BadInput,
                    fmt::format("If `num_processes` is greater than `num_model_replicas`, "
                                "`num_processes` must be divisible by `num_model_replicas`. Got "
                                "num_processes={}, num_model_replicas={}.",
                                processes, replicas));
    return made;
}

Result<TensorLayout> ModelParallel::dataLayout(int dimensions) const {
    return batchLayout(dimensions);
}

Result<TensorLayout> ModelParallel::variableLayout(const std::string& path, int dimensions) const {
    if (auto found = TRY(layoutMap_.find(path))) return *std::move(found);
    return TensorLayout::make(TensorLayout::Axes(static_cast<std::size_t>(std::max(dimensions, 0))),
                              deviceMesh());
}

std::string ModelParallel::text() const {
    return Distribution::text() + layoutMap_.text();
}

}  // namespace lockstep::distribution
