// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/checkpoint/snapshot.h"
#include "core/collective/communicator.h"
#include "core/program/network.h"
#include "core/train/objective/score.h"
#include "core/train/replica/epoch_watch.h"
#include "core/train/replica/flat_state.h"
#include "core/train/replica/host_steps.h"
#include "core/train/replica/plateau.h"
#include "core/train/replica/replica_setup.h"
#include "core/train/replica/replica_steps.h"

namespace lockstep::train {

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

/// The training of one replica, on the thread that calls run(): steps, and what comes between them:
/// epochs' ends, scores, checkpoints, decisions that all replicas take alike. What runs the steps
/// is ReplicaSteps.
class ReplicaLoop final : private StepWatch {
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
    ReplicaLoop(const ReplicaSetup& setup, std::unique_ptr<HostSteps> own);

    // Steps, and who hears of them.
    [[nodiscard]] Result<std::int64_t> trainOn();
    void stepBegins(std::int64_t step) override;
    void stepDone(const DoneStep& done) override;
    [[nodiscard]] bool wantsStop() const override;
    [[nodiscard]] Error lossError(std::int64_t step) const;
    void noticeLeftOut(std::int64_t step);
    void addToEpoch(const DoneStep& done);
    void reportFigures(std::int64_t step, const DoneStep& done);
    void keepStepTime(const telemetry::StepRecord& record);
    [[nodiscard]] BatchFigures batchFigures(std::int64_t step) const;

    // replica_state.cpp: the state of all, of a mesh the parts of its members.
    /// Replica 0's state to all others; of a mesh the whole one, which it alone has.
    [[nodiscard]] Result<void> shareState(const WholeState* whole);
    [[nodiscard]] Result<void> shareParts(std::map<int, WholeState>& parts);
    [[nodiscard]] Result<void> shareInColumns();
    /// Each replica takes its shares of the step that all have kept.
    [[nodiscard]] Result<void> takeKept();
    [[nodiscard]] Result<void> feedFromFirst(std::span<const std::uint64_t> first);
    void keepStep(const DoneStep& done);
    [[nodiscard]] Result<void> renewKeptText();
    /// As the communicator's, over all replicas of the job, also of a mesh.
    [[nodiscard]] Result<void> gatherOfJob(std::span<const std::uint64_t> mine,
                                           std::span<std::uint64_t> all);
    /// Of a mesh: the parts of all, on replica 0; nothing elsewhere, and where there is no mesh.
    [[nodiscard]] Result<void> collectWhole(std::optional<WholeState>& whole);
    [[nodiscard]] Result<std::string> hashOfWhole();
    /// That all replicas hold the same bits: those of this hash of them.
    [[nodiscard]] Result<void> agreeOnHash(const std::string& hash);
    [[nodiscard]] std::vector<std::span<float>> moments();

    // replica_epochs.cpp
    [[nodiscard]] Result<void> endEpoch(std::int64_t step);
    [[nodiscard]] Result<std::optional<SplitScore>> scoreTogether(ScoredSplit split);
    [[nodiscard]] Result<void> gatherEpochScore();
    [[nodiscard]] Result<void> takeEpochScoreOfFirst();
    [[nodiscard]] Result<void> decideEpoch(std::int64_t step);
    [[nodiscard]] Result<void> agreeOnWatch(std::int64_t step);
    [[nodiscard]] std::string whoStopped(std::span<const std::uint64_t> votes,
                                         std::size_t words) const;

    // replica_checkpoint.cpp
    [[nodiscard]] Result<void> agreeOnWeights(std::int64_t step);
    [[nodiscard]] Result<void> agreeInColumn(std::int64_t step);
    [[nodiscard]] Result<void> writeCheckpoint(std::int64_t step, bool isLast);
    [[nodiscard]] Result<void> writeWhole(std::int64_t step, bool isWithin, bool isLast);
    [[nodiscard]] Result<void> writeShards(std::int64_t step, bool isWithin, bool isLast);
    [[nodiscard]] Result<void> handOver(
        std::int64_t step, bool isDiskBusy,
        const std::function<void(const checkpoint::CopyCheck&)>& copy);
    [[nodiscard]] Result<std::map<int, WholeState>> collectHanded();
    [[nodiscard]] Result<checkpoint::Snapshot> describe(std::int64_t step, bool isWithin);
    [[nodiscard]] Result<void> restoreBest();
    [[nodiscard]] Result<std::int64_t> loadBest(const FlatState& state,
                                                std::span<float> statistics);

    [[nodiscard]] Result<void> afterStep(std::int64_t step, bool last);
    [[nodiscard]] Result<void> settleStatistics();
    [[nodiscard]] Result<void> finish();
    [[nodiscard]] int replica() const { return setup_.replica(); }
    [[nodiscard]] int replicaCount() const { return setup_.replicaCount(); }
    /// The whole network, of which a mesh's member has a part.
    [[nodiscard]] const program::Network& network() const {
        return setup_.mesh != nullptr ? setup_.mesh->whole() : setup_.network;
    }
    void enter(wire::Phase phase);

    const ReplicaSetup setup_;
    std::unique_ptr<HostSteps> own_;  ///< Where the setup brings no steps.
    ReplicaSteps* steps_;
    std::vector<float> statistics_;  ///< As of the newest step that something comes behind.
    EpochWatch watch_;               ///< Replica 0's counts.
    Plateau plateau_;                ///< Likewise.
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
    collective::StepVotes votes_;  ///< Of the newest step, over all replicas.
    double lossSum_ = 0;           ///< Of this replica's newest step.
    /// Metrics of the present epoch: this replica's, and what a resume brings.
    std::vector<double> epochMetrics_;
    std::uint64_t checkpoints_ = 0;  ///< So far; equal in a mesh's first row.
    Nanos epochMark_{0};             ///< Where the present epoch began.
};

}  // namespace lockstep::train
