// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/checkpoint/shard_writer.h"
#include "core/checkpoint/snapshot.h"
#include "core/collective/communicator.h"
#include "core/config/job/job_spec.h"
#include "core/data/batch_plan.h"
#include "core/data/dataset.h"
#include "core/optim/optimizer.h"
#include "core/program/network.h"
#include "core/telemetry/progress.h"
#include "core/telemetry/step_ring.h"
#include "core/tensor/device.h"
#include "core/train/drill/step_faults.h"
#include "core/train/objective/objective.h"
#include "core/train/replica/batch_log.h"
#include "core/train/replica/flat_state.h"
#include "core/train/replica/kept_steps.h"
#include "core/train/replica/mesh_member.h"
#include "core/train/replica/program_place.h"
#include "core/train/replica/replica_steps.h"
#include "core/train/replica/run_events.h"
#include "core/train/replica/training_listener.h"
#include "core/train/replica/training_plan.h"

namespace lockstep::train {

/// How the parts of a sharded checkpoint come to the disk: replica 0 has what is to be committed,
/// those of its row write theirs, or it does for them.
struct ShardPlace {
    /// Of a member of the first row, but replica 0, who writes its part; else null.
    checkpoint::ShardWriter* writer = nullptr;
    /// The columns whose members do not see the run's folder, equal on all of the row.
    std::vector<int> handed{};

    [[nodiscard]] bool isHanded(int column) const {
        return std::ranges::find(handed, column) != handed.end();
    }
};

/// What one replica works with. All of it outlives the loop; what is const is shared by all local
/// replicas, the rest is this replica's own.
struct ReplicaSetup {
    const config::JobSpec& job;
    const TrainingPlan& plan;
    const data::Dataset& data;
    const data::BatchPlan& batches;
    const program::Network& network;
    const optim::Optimizer& optimizer;
    const Objective& objective;
    tensor::Device& device;
    collective::Communicator& communicator;
    telemetry::StepRing* ring;  ///< Null: steps are not recorded.
    telemetry::ReplicaProgressCell& progress;
    const std::atomic<bool>& stopRequested;
    ProgramPlace place{};  ///< What its programs run on.
    /// Of a mesh: then `network` is this member's part, `communicator` its column's, and
    /// place.group this. Null: the network is whole.
    MeshMember* mesh = nullptr;
    /// Of a mesh's replica 0: the state it begins with, which run() hands out and clears.
    WholeState* whole = nullptr;
    /// Of a mesh's first row, where each process has read what it begins with: that, by column,
    /// with those of `shards.handed` on replica 0. run() takes it and gives its memory back.
    std::map<int, WholeState>* parts = nullptr;
    ShardPlace shards{};            ///< Of a mesh whose checkpoints are sharded.
    ReplicaSteps* steps = nullptr;  ///< What trains it; null: HostSteps do.
    RunEvents* events = nullptr;    ///< Replica 0 of the job only.
    SplitScore epochSoFar{};        ///< Of the epoch that a resume goes on with; replica 0 only.
    bool epochEndDue = false;       ///< The resume begins with the end of that epoch.
    std::int64_t skippedSteps = 0;  ///< Left out before it; equal on all replicas.
    /// Where a resume goes on from; replica 0 only, null for a fresh start.
    const checkpoint::TrainingState* resumed = nullptr;
    /// The network's statistics at the start; replica 0's count, and the others get them.
    std::span<const float> statistics{};
    std::string initialWeights{};          ///< As TrainingState has it; replica 0's counts.
    TrainingListener* listener = nullptr;  ///< One replica a process at most; null: nobody listens.
    StepFaults* faults = nullptr;          ///< Of drills; null: no drill reaches this replica.
    BatchWatch batchWatch{};               ///< May be empty. Of HostSteps alone.
    /// Where this replica keeps its steps for a next life; null: nowhere. Of HostSteps alone.
    KeptReplica* kept = nullptr;
    /// All replicas begin with the plan's first step as it is kept there,
    bool beginsAtKept = false;
    bool isFed = false;  ///< but this one, whose process has lost it,
    bool feeds = false;  ///< as some have: replica 0 gives it to them.

    /// Of the job, as is replicaCount(): a communicator counts those of a mesh's column.
    [[nodiscard]] int replica() const {
        return mesh != nullptr ? mesh->replica() : communicator.replica();
    }
    [[nodiscard]] int replicaCount() const {
        return mesh != nullptr ? mesh->replicaCount() : communicator.replicaCount();
    }
};

}  // namespace lockstep::train
