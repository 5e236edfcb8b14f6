// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/distribution/distribution.h"
#include "core/distribution/initialize.h"

namespace lockstep::distribution {

/// Synchronous training on several replicas: which devices take part, and who this process is
/// among them. job::fit trains a model under one. Immutable. (tf.distribute.Strategy)
class Strategy {
public:
    virtual ~Strategy() = default;

    [[nodiscard]] const std::shared_ptr<const DataParallel>& distribution() const {
        return distribution_;
    }
    /// Of the whole cluster: what a global batch is divided by.
    [[nodiscard]] int numReplicasInSync() const { return distribution_->numModelReplicas(); }
    [[nodiscard]] int localReplicas() const { return localReplicas_; }
    [[nodiscard]] int numWorkers() const { return distribution_->numProcesses(); }
    /// Process 0, which writes checkpoints and logs for all.
    [[nodiscard]] bool isChief() const { return chief_; }
    /// It trains nothing: it scores the checkpoints that the others write.
    [[nodiscard]] bool isEvaluator() const { return evaluator_; }
    /// Whether some process of the cluster is the evaluator.
    [[nodiscard]] bool hasEvaluator() const { return hasEvaluator_; }

    /// This strategy's distribution is the process's for as long as the scope lives.
    [[nodiscard]] std::unique_ptr<DistributionScope> scope() const {
        return std::make_unique<DistributionScope>(distribution_);
    }

protected:
    struct Place {
        int localReplicas = 1;
        bool chief = true;
        bool evaluator = false;
        bool hasEvaluator = false;
    };
    Strategy(std::shared_ptr<const DataParallel> distribution, const Place& place)
        : distribution_(std::move(distribution)),
          localReplicas_(place.localReplicas),
          chief_(place.chief),
          evaluator_(place.evaluator),
          hasEvaluator_(place.hasEvaluator) {}

private:
    const std::shared_ptr<const DataParallel> distribution_;
    const int localReplicas_;
    const bool chief_;
    const bool evaluator_;
    const bool hasEvaluator_;
};

/// The devices of this process. (tf.distribute.MirroredStrategy)
class MirroredStrategy final : public Strategy {
public:
    /// `devices`: "cpu:0", …; all of this process's when empty. BadInput for others', and in a
    /// process that belongs to a group of several: that is what MultiWorkerMirroredStrategy is for.
    [[nodiscard]] static Result<std::shared_ptr<const MirroredStrategy>> make(
        std::vector<std::string> devices = {});

private:
    using Strategy::Strategy;
};

/// The devices of all processes. (tf.distribute.MultiWorkerMirroredStrategy)
class MultiWorkerMirroredStrategy final : public Strategy {
public:
    /// Forms the group by initialize(options) when there is none yet: TF_CONFIG and its kin are
    /// read here. Alone it is a cluster of one, which a line on standard error says. BadInput when
    /// the processes have unequal numbers of devices.
    [[nodiscard]] static Result<std::shared_ptr<const MultiWorkerMirroredStrategy>> make(
        const InitializeOptions& options = {});

private:
    using Strategy::Strategy;
};

}  // namespace lockstep::distribution
