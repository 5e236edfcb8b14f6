// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "core/base/try.h"
#include "core/distribution/devices.h"
#include "core/distribution/initialize.h"
#include "core/distribution/process_state.h"

namespace lockstep::distribution {

namespace {
constexpr const char* kBatchAxis = "batch";
}

Distribution::Distribution(DeviceMesh mesh, std::string batchDimName, bool autoShardDataset)
    : mesh_(std::move(mesh)),
      batchDimName_(std::move(batchDimName)),
      autoShardDataset_(autoShardDataset),
      numProcesses_(processCount()),
      processId_(processId()) {}

int Distribution::numDataShards() const {
    return std::min(numModelReplicas(), numProcesses_);
}

int Distribution::dataShardId() const {
    const int replicas = numModelReplicas();
    if (replicas >= numProcesses_) return processId_;
    // Several processes hold one replica, and read the same; the division may be uneven.
    return static_cast<int>(std::int64_t{processId_} * replicas / numProcesses_);
}

std::string Distribution::text() const {
    return fmt::format("{}\nbatch along {}, autoShardDataset {}\n", mesh_.text(), batchDimName_,
                       autoShardDataset_);
}

Result<std::shared_ptr<const DataParallel>> DataParallel::make(const DataParallelOptions& options) {
    std::optional<DeviceMesh> mesh = options.deviceMesh;
    if (!mesh) {
        auto devices = TRY(options.devices ? Result<std::vector<std::string>>(*options.devices)
                                           : listDevices());
        const int count = static_cast<int>(devices.size());
        mesh = TRY(DeviceMesh::make({count}, {kBatchAxis}, std::move(devices)));
    }
    if (mesh->shape().size() > 1)
        std::fprintf(stderr,
                     "warning: Expect the input mesh to be 1D, but received "
                     "mesh.devices.ndim=%zu. The first axis will be used for data-parallel "
                     "sharding.\n",
                     mesh->shape().size());
    std::string batchAxis = mesh->axisNames().front();
    return std::shared_ptr<const DataParallel>(
        new DataParallel(std::move(*mesh), std::move(batchAxis), options.autoShardDataset));
}

Result<TensorLayout> DataParallel::dataLayout(int dimensions) const {
    return batchLayout(dimensions);
}

Result<TensorLayout> Distribution::batchLayout(int dimensions) const {
    if (dimensions < 1)
        return fail(ErrorCode::BadInput,
                    fmt::format("a batch has at least one dimension, not {}", dimensions));
    TensorLayout::Axes axes(static_cast<std::size_t>(dimensions));
    axes.front() = batchDimName();
    return TensorLayout::make(std::move(axes), deviceMesh());
}

Result<TensorLayout> DataParallel::variableLayout(const std::string&, int dimensions) const {
    return TensorLayout::make(TensorLayout::Axes(static_cast<std::size_t>(std::max(dimensions, 0))),
                              deviceMesh());
}

void setDistribution(std::shared_ptr<const Distribution> distribution) {
    ProcessState::instance().setDistribution(std::move(distribution));
}

std::shared_ptr<const Distribution> distribution() {
    return ProcessState::instance().distribution();
}

DistributionScope::DistributionScope(std::shared_ptr<const Distribution> distribution)
    : former_(distribution::distribution()) {
    setDistribution(std::move(distribution));
}

DistributionScope::~DistributionScope() {
    setDistribution(former_);
}

}  // namespace lockstep::distribution
