// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/shard_writer.h"
#include "core/checkpoint/snapshot.h"
#include "core/collective/communicator.h"
#include "core/config/job/job_spec.h"
#include "core/data/batch_plan.h"
#include "core/data/dataset.h"
#include "core/data/prefetch.h"
#include "core/optim/optimizer.h"
#include "core/program/executor.h"
#include "core/program/network.h"
#include "core/telemetry/progress.h"
#include "core/telemetry/step_ring.h"
#include "core/train/drill/step_faults.h"
#include "core/train/objective/objective.h"
#include "core/train/replica/batch_log.h"
#include "core/train/replica/epoch_watch.h"
#include "core/train/replica/evaluation.h"
#include "core/train/replica/flat_state.h"
#include "core/train/replica/gpu_replica.h"
#include "core/train/replica/mesh_member.h"
#include "core/train/replica/parameter_update.h"
#include "core/train/replica/plateau.h"
#include "core/train/replica/replica_sums.h"
#include "core/train/replica/training_listener.h"
#include "core/train/replica/training_plan.h"
#include "core/train/replica/weight_guard.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::train {

/// What the chief tells about the run as a whole. Called on the step thread, between steps.
class RunEvents {
public:
    virtual ~RunEvents() = default;
    virtual void stateChanged(wire::RunState state, const std::string& sentence) = 0;
    virtual void epochEnded(const wire::EpochResult& result) = 0;
    /// Early stopping has decided; `sentence` says why.
    virtual void stoppedEarly(const std::string& /*sentence*/) {}
    /// A figure of the job besides those of epochs and steps: "train/learning_rate".
    virtual void figure(std::string_view /*name*/, std::int64_t /*step*/, double /*value*/) {}
    /// What the user should know though the run goes on.
    virtual void notice(const std::string& /*sentence*/) {}
    /// Takes the snapshot to be committed in the background; holds the step for a memory copy.
    /// `isLast`: none will follow.
    virtual void checkpoint(const checkpoint::Snapshot& snapshot, bool isLast) = 0;
    /// The checkpoint of `step`, which was the run's best, once it is durable; waits for that.
    /// Where it is not on disk, the best one that is.
    [[nodiscard]] virtual Result<checkpoint::LoadedCheckpoint> bestCheckpoint(
        std::int64_t /*step*/) {
        return fail(ErrorCode::NotFound, "this run keeps no checkpoints");
    }
};

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
    ShardPlace shards{};            ///< Of a mesh whose checkpoints are sharded.
    GpuReplica* gpu = nullptr;      ///< Runs whole steps instead; null: this loop does.
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
    BatchWatch batchWatch{};  ///< May be empty. Not called where a GPU runs whole steps.
};

/// What a replica knows at the end; equal on all replicas but for the times.
struct TrainingOutcome {
    bool stopped = false;  ///< On request, before the last step.
    std::int64_t step = 0;
    int stoppedEarlyAtEpoch = 0;    ///< By early stopping or a listener; 0: it was not.
    std::string stoppedBecause;     ///< Of that, on replica 0.
    std::int64_t bestStep = 0;      ///< Of the best checkpoint; 0: there is none.
    std::int64_t restoredStep = 0;  ///< The run ends with the weights of this step; 0: its own.
    std::int64_t skippedSteps = 0;  ///< Left out, because a loss was not finite.
    checkpoint::BestState best{};   ///< On replica 0.
    SplitScore train;               ///< Over the newest epoch, as far as it went.
    std::optional<SplitScore> validation;
    std::optional<SplitScore> test;
    std::string stateHash;
    double trainSeconds = 0;              ///< Of the steps alone.
    double samplesTrained = 0;            ///< By all replicas.
    std::vector<float> stepMilliseconds;  ///< One a step, of this replica's newest 2^20.
};

/// The training of one replica: the synchronous step, over and over, on the thread that calls
/// run().
class ReplicaLoop {
public:
    /// Unavailable when the device lacks the memory.
    [[nodiscard]] static Result<ReplicaLoop> make(const ReplicaSetup& setup);

    /// Trains to the end of the plan or until stopped. Before it, replica 0's parameters and
    /// moments are initialised or restored; run() brings them to all others. Errors: PeerLost and
    /// Timeout of the communicator (somebody else's fault), Internal when replicas differ,
    /// Cancelled never; a loss that is not a number is an error of the replica that saw it,
    /// PeerLost for the others.
    [[nodiscard]] Result<TrainingOutcome> run();

private:
    ReplicaLoop(const ReplicaSetup& setup, std::unique_ptr<program::Executor> executor,
                tensor::Buffer samples, SplitEvaluator evaluator);

    [[nodiscard]] Result<void> prepareBatches();
    /// Replica 0's state to all others; of a mesh the whole one, which it alone has.
    [[nodiscard]] Result<void> shareState(const WholeState* whole);
    /// As the communicator's, over all replicas of the job, also of a mesh.
    [[nodiscard]] Result<void> gatherOfJob(std::span<const std::uint64_t> mine,
                                           std::span<std::uint64_t> all);
    [[nodiscard]] int replica() const {
        return setup_.mesh != nullptr ? setup_.mesh->replica() : setup_.communicator.replica();
    }
    [[nodiscard]] int replicaCount() const {
        return setup_.mesh != nullptr ? setup_.mesh->replicaCount()
                                      : setup_.communicator.replicaCount();
    }
    /// The whole network, of which a mesh's member has a part.
    [[nodiscard]] const program::Network& network() const {
        return setup_.mesh != nullptr ? setup_.mesh->whole() : setup_.network;
    }
    [[nodiscard]] Result<void> trainStep(std::int64_t step);
    void sufferDrill(std::int64_t step);
    void dragOn();
    void flipBit(const StepFault& fault, std::int64_t step);
    /// Which of the network's tensors has this element of the parameters.
    [[nodiscard]] const program::PlacedTensor& tensorAt(std::size_t element) const;
    [[nodiscard]] Result<void> computeGradients(const data::Batch& batch);
    /// Of samples [begin, begin + count) of the batch.
    [[nodiscard]] Result<void> forward(const data::Batch& batch, std::uint32_t begin,
                                       std::uint32_t count);
    [[nodiscard]] Result<void> backward();
    [[nodiscard]] Result<void> backwardOfPart(bool isFirst);
    static void addTo(std::span<float> sums, std::span<const float> values);
    void postFrom(std::size_t begin);
    [[nodiscard]] Result<void> vote();
    void takeTotals(const tensor::LossTotals& totals);
    /// Whole steps on a GPU, in replica_loop_gpu.cpp, up to where something else comes; gives the
    /// last one.
    [[nodiscard]] Result<std::int64_t> runOnGpu(std::int64_t first);
    void recordGpuStep(const GpuReplica::Step& step);
    [[nodiscard]] Result<SplitScore> scoreShare(const data::Split& split, std::uint32_t first,
                                                std::uint32_t count);
    /// A mesh's row scores together: its members stop behind the same batch.
    [[nodiscard]] Result<SplitScore> scoreWithRow(const data::Split& split, std::uint32_t first,
                                                  std::uint32_t count);
    [[nodiscard]] bool wholeStepsOnGpu() const { return setup_.gpu != nullptr; }
    /// Of the newest step, over all replicas.
    [[nodiscard]] const collective::StepVotes& votes() const {
        return wholeStepsOnGpu() ? gpuVotes_ : setup_.communicator.votes();
    }
    [[nodiscard]] Result<void> applyUpdate(std::int64_t step);
    [[nodiscard]] Result<void> reduceAndUpdate(std::int64_t step);
    [[nodiscard]] Result<void> reduceThenUpdate(std::int64_t step);
    [[nodiscard]] Result<collective::Range> reduceBucket(std::size_t bucket);
    [[nodiscard]] Result<void> updateShare(std::size_t bucket, const collective::Range& share,
                                           std::int64_t step);
    [[nodiscard]] Result<void> updateGuarded(std::size_t bucket, const collective::Range& share,
                                             std::int64_t step);
    [[nodiscard]] Result<void> checkShares(std::int64_t step);
    [[nodiscard]] Result<void> weightsChanged(const collective::Range& block,
                                              std::int64_t step) const;
    [[nodiscard]] bool hasCopies() const;
    [[nodiscard]] Result<void> compareCopies(std::int64_t step);
    [[nodiscard]] Result<void> nameDifference(std::int64_t step);
    [[nodiscard]] Result<void> checkVotes(std::int64_t step);
    void leaveOut(std::int64_t step);
    void recordStep(std::int64_t step, std::uint32_t globalCount);
    void reportFigures(std::int64_t step);
    /// What is validated and kept: the weights, or their average where one is kept.
    [[nodiscard]] std::span<const float> evaluated() {
        const int average = setup_.optimizer.averageIndex();
        return average >= 0 ? setup_.communicator.moments(average)
                            : setup_.communicator.parameters();
    }
    void keepStepTime(float milliseconds);
    [[nodiscard]] BatchFigures batchFigures(std::int64_t step) const;
    /// The listener is told; what it takes is no step's time.
    void tellBegin(std::int64_t step);
    [[nodiscard]] bool tellEnd(std::int64_t step);
    [[nodiscard]] Result<void> afterStep(std::int64_t step, bool last);
    [[nodiscard]] Result<void> settleStatistics();
    [[nodiscard]] Result<void> endEpoch(std::int64_t step);
    [[nodiscard]] Result<void> decideEpoch(std::int64_t step);
    [[nodiscard]] Result<void> agreeOnWatch(std::int64_t step);
    [[nodiscard]] std::string whoStopped(std::span<const std::uint64_t> votes,
                                         std::size_t words) const;
    [[nodiscard]] Result<void> restoreBest();
    [[nodiscard]] Result<std::int64_t> loadBest(const FlatState& state,
                                                std::span<float> statistics);
    [[nodiscard]] Result<checkpoint::Snapshot> describe(std::int64_t step, bool isWithin);
    /// Of a mesh: the parts of all, on replica 0; nothing elsewhere, and where there is no mesh.
    [[nodiscard]] Result<void> collectWhole(std::optional<WholeState>& whole);
    [[nodiscard]] Result<std::string> hashOfWhole();
    [[nodiscard]] Nanos takeWaiting();
    [[nodiscard]] Result<void> agreeOnWeights(std::int64_t step);
    [[nodiscard]] Result<void> writeCheckpoint(std::int64_t step, bool isLast);
    [[nodiscard]] Result<void> writeWhole(std::int64_t step, bool isWithin, bool isLast);
    [[nodiscard]] Result<void> writeShards(std::int64_t step, bool isWithin, bool isLast);
    [[nodiscard]] Result<std::map<int, WholeState>> collectHanded();
    [[nodiscard]] Result<std::optional<SplitScore>> scoreTogether(const data::Split& split);
    [[nodiscard]] Result<void> gatherEpochScore();
    [[nodiscard]] Result<void> takeEpochScoreOfFirst();
    [[nodiscard]] Result<void> finish();
    /// Agreement that all replicas hold the same bits: hash of the parts, compared by all.
    [[nodiscard]] Result<std::string> agreedHash(std::span<const std::span<const float>> parts);
    [[nodiscard]] std::vector<std::span<float>> moments();
    void enter(wire::Phase phase);
    /// Microseconds since the phase before ended; a new one begins.
    [[nodiscard]] float lap();

    ReplicaSetup setup_;
    std::unique_ptr<program::Executor> executor_;
    CommunicatorSum sum_;
    std::vector<float> statistics_;        ///< This replica's; equal on all where they are summed.
    std::vector<float> statisticsBefore_;  ///< The step, for one that is left out.
    tensor::Buffer samples_;               ///< Of the present batch, [largest share, features].
    SplitEvaluator evaluator_;
    std::unique_ptr<data::Prefetcher> prefetcher_;
    std::vector<collective::Range> buckets_;
    ParameterUpdate update_;
    std::optional<WeightGuard> guard_;       ///< Absent where the job wants none.
    std::vector<std::uint64_t> copyHashes_;  ///< Of each replica's weights, to be compared.
    std::size_t posted_ = 0;                 ///< Buckets of the present step that are on their way.
    TargetBuffer targets_;
    std::vector<float> accumulated_;  ///< Gradients of a step's parts so far; empty: it has one.
    EpochWatch watch_;                ///< Replica 0's counts.
    Plateau plateau_;                 ///< Likewise.
    /// What both had counted before an epoch that the job's end cuts short: where a resume goes on
    /// with it, it is counted then, as a whole.
    struct Counters {
        checkpoint::PatienceState patience;
        checkpoint::PlateauState plateau;
    };
    std::optional<Counters> beforeCut_;
    std::string sampleFacts_;     ///< As checkpoints have them; made for the first one.
    bool listenerStops_ = false;  ///< This process's listener wants no more epochs.
    bool batchStops_ = false;     ///< Likewise no more steps.
    bool epochEndDue_ = false;  ///< The epoch's steps are done, but it was stopped as it validated.
    TrainingOutcome outcome_;
    telemetry::StepRecord record_;
    collective::StepVotes gpuVotes_;  ///< Of the newest whole step on a GPU.
    SplitScore stepScore_;            ///< Of this replica's newest step.
    /// Metrics of the present epoch: this replica's, and what a resume brings.
    std::vector<double> epochMetrics_;
    std::uint64_t checkpoints_ = 0;  ///< So far; equal in a mesh's first row.
    collective::Range firstShare_;   ///< Of the weights, that is not empty; known after a step.
    bool isNanDue_ = false;          ///< As are the next two, for a drill.
    Nanos slowBy_{0};
    Nanos slowUntil_{0};
    Nanos mark_{0};      ///< Where the present phase began.
    Nanos stepMark_{0};  ///< Where the present step began.
    Nanos epochMark_{0};
};

}  // namespace lockstep::train
