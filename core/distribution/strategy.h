// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/result.h"
#include "core/distribution/distribution.h"
#include "core/distribution/initialize.h"
#include "core/distribution/replica_run.h"

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

    // A training loop of one's own: run() computes on all replicas, reduce() makes one of what they
    // have computed. For a network of layers fit::Model::fit() is much faster: its sums go straight
    // from replica to replica, while those of reduce() go by way of process 0.

    /// Calls `function(const ReplicaContext&)` for each replica of this process, at the same time,
    /// each on a thread of its own; gives what it gave, in order of replicas. It must not throw.
    /// (tf.distribute.Strategy.run)
    template <typename Function>
    [[nodiscard]] auto run(const Function& function) const {
        using Value = std::invoke_result_t<const Function&, const ReplicaContext&>;
        static_assert(!std::is_same_v<Value, bool>, "no vector holds bools that threads write");
        std::vector<Value> values(static_cast<std::size_t>(localReplicas_));
        runEach([&](const ReplicaContext& context) {
            values[static_cast<std::size_t>(context.localReplica)] = function(context);
        });
        return values;
    }
    /// Adds up the values of all replicas of the cluster, element by element, in order of replicas,
    /// so that the same replicas give the same bits in whichever processes they are; Mean divides
    /// by their number. `values`: of each replica of this process, all of one length. All processes
    /// (but the evaluator) call it in the same order and get the same. BadInput, in all of them,
    /// where one brings other lengths; Timeout and PeerLost as allGather().
    /// (tf.distribute.Strategy.reduce, axis=None)
    [[nodiscard]] Result<std::vector<double>> reduce(ReduceOp op,
                                                     const std::vector<std::vector<double>>& values,
                                                     double timeoutSeconds = 300) const;

protected:
    /// What this process is to the others.
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
    void runEach(const std::function<void(const ReplicaContext&)>& function) const;

    const std::shared_ptr<const DataParallel> distribution_;
    const int localReplicas_;
    const bool chief_;
    const bool evaluator_;
    const bool hasEvaluator_;
};

/// The devices of this process. (tf.distribute.MirroredStrategy)
class MirroredStrategy final : public Strategy {
public:
    /// `devices`: "gpu:0", …, which train; all of listDevices() when empty. BadInput for others,
    /// with the list of those that there are, and in a process that belongs to a group of several:
    /// that is what MultiWorkerMirroredStrategy is for.
    [[nodiscard]] static Result<std::shared_ptr<const MirroredStrategy>> make(
        std::vector<std::string> devices = {});

private:
    using Strategy::Strategy;
};

/// The devices of all processes: GPUs where there are any, of which the processes of a machine take
/// each their share. (tf.distribute.MultiWorkerMirroredStrategy)
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
