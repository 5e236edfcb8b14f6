// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/distribution/device_mesh.h"

namespace lockstep::distribution {

/// How data and variables lie on the devices of the cluster. fit() trains with DataParallel and
/// ModelParallel (model_parallel.h). Immutable. (keras.distribution.Distribution)
class Distribution {
public:
    virtual ~Distribution() = default;

    [[nodiscard]] const DeviceMesh& deviceMesh() const { return mesh_; }
    /// The mesh's axis along which the batch is split.
    [[nodiscard]] const std::string& batchDimName() const { return batchDimName_; }
    /// Whether every process takes its shard of what it is given; else it is given its shard.
    [[nodiscard]] bool autoShardDataset() const { return autoShardDataset_; }

    [[nodiscard]] int numProcesses() const { return numProcesses_; }
    [[nodiscard]] virtual int numModelReplicas() const = 0;
    /// Into how many parts the data is cut for processes: no more than there are processes, and no
    /// more than there are replicas of the model.
    [[nodiscard]] int numDataShards() const;
    /// Which of them this process reads.
    [[nodiscard]] int dataShardId() const;

    /// Of a tensor of this many dimensions that holds a batch; at least one.
    [[nodiscard]] virtual Result<TensorLayout> dataLayout(int dimensions) const = 0;
    /// Of a variable, by its path in the model.
    [[nodiscard]] virtual Result<TensorLayout> variableLayout(const std::string& path,
                                                              int dimensions) const = 0;
    /// All that it decides, a line each: equal where two decide the same.
    [[nodiscard]] virtual std::string text() const;

protected:
    Distribution(DeviceMesh mesh, std::string batchDimName, bool autoShardDataset);

    /// Along the batch's axis in the first of so many dimensions. BadInput: there is none.
    [[nodiscard]] Result<TensorLayout> batchLayout(int dimensions) const;

private:
    const DeviceMesh mesh_;
    const std::string batchDimName_;
    const bool autoShardDataset_;
    const int numProcesses_;
    const int processId_;
};

/// What DataParallel::make() is told.
struct DataParallelOptions {
    std::optional<DeviceMesh> deviceMesh{};             ///< Beats `devices`.
    std::optional<std::vector<std::string>> devices{};  ///< Absent: all of listDevices().
    bool autoShardDataset = true;
};

/// Every device holds the whole model and its share of the batch. (keras.distribution.DataParallel)
class DataParallel final : public Distribution {
public:
    /// Of a mesh with several axes the first is the batch's, which a warning says.
    [[nodiscard]] static Result<std::shared_ptr<const DataParallel>> make(
        const DataParallelOptions& options = {});

    [[nodiscard]] int numModelReplicas() const override { return deviceMesh().size(); }
    [[nodiscard]] Result<TensorLayout> dataLayout(int dimensions) const override;
    [[nodiscard]] Result<TensorLayout> variableLayout(const std::string& path,
                                                      int dimensions) const override;

private:
    DataParallel(DeviceMesh mesh, std::string batchDimName, bool autoShardDataset)
        : Distribution(std::move(mesh), std::move(batchDimName), autoShardDataset) {}
};

/// Sets the distribution of this process; null: none. (keras.distribution.set_distribution)
void setDistribution(std::shared_ptr<const Distribution> distribution);
/// The distribution of this process, null without one. (keras.distribution.distribution)
[[nodiscard]] std::shared_ptr<const Distribution> distribution();

/// Sets a distribution for as long as it lives, then the former one again.
class DistributionScope {
public:
    explicit DistributionScope(std::shared_ptr<const Distribution> distribution);
    ~DistributionScope();
    DistributionScope(const DistributionScope&) = delete;
    DistributionScope& operator=(const DistributionScope&) = delete;

private:
    std::shared_ptr<const Distribution> former_;
};

}  // namespace lockstep::distribution
