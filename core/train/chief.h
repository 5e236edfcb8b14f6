// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/mutex.h"
#include "core/checkpoint/background_committer.h"
#include "core/coordination/client/client.h"
#include "core/coordination/client/scoring_link.h"
#include "core/coordination/client/steps_link.h"
#include "core/telemetry/scalar_recorder.h"
#include "core/train/checkpoints/shard_link.h"
#include "core/train/replica/run_events.h"

namespace lockstep::train {

/// What process 0 does for all: writes the checkpoints and tells the coordinator how the run goes.
class Chief final : public RunEvents {
public:
    struct Options {
        std::filesystem::path checkpoints;
        int keep = 1;
        bool hasEvaluator = false;  ///< Retention waits for it.
        double formerRate = 0;      ///< Learning rate that checkpoints of an older format had.
    };
    /// Takes the writer's lock of the checkpoints. Unavailable when another program writes there.
    [[nodiscard]] static Result<std::unique_ptr<Chief>> open(coordination::Client& client,
                                                             Options options);

    void stateChanged(wire::RunState state, const std::string& sentence) override;
    void epochEnded(const wire::EpochResult& result) override;
    void stoppedEarly(const std::string& sentence) override;
    void figure(std::string_view name, std::int64_t step, double value) override;
    void notice(const std::string& sentence) override;
    [[nodiscard]] bool isDiskBusy() override { return committer_->isBusy(); }
    void checkpoint(const checkpoint::Snapshot& snapshot, bool isLast,
                    const checkpoint::CopyCheck& isRight) override;
    [[nodiscard]] Result<checkpoint::LoadedCheckpoint> bestCheckpoint(std::int64_t step) override;

    /// Who writes parts of sharded checkpoints besides this process; before the first one.
    void setCrew(std::vector<int> replicas) { crew_.setReplicas(std::move(replicas)); }

    /// Until the snapshot taken last is durable. On a full disk it is tried again for some minutes,
    /// which is said, unless `givesUp`. An error when it could not be written: the job's result
    /// would be lost.
    [[nodiscard]] Result<void> finish(const std::function<bool()>& givesUp);

    /// The sentences of notice() so far.
    [[nodiscard]] std::vector<std::string> notices();

private:
    Chief(coordination::Client& client, Options options)
        : client_(client),
          options_(std::move(options)),
          scoring_(client),
          steps_(client),
          crew_(client) {}
    [[nodiscard]] Result<void> offerPresent(const std::vector<std::int64_t>& present);
    void tell(wire::Record record);
    void awaitSteps(std::int64_t step);
    void committed(const checkpoint::CommitReport& report);
    void slowCommit(const checkpoint::SlowCommit& slow);
    void tellSkipped();
    [[nodiscard]] std::set<std::int64_t> awaited(std::int64_t step);
    void offerUnoffered();
    [[nodiscard]] std::string newestOnDisk() const;

    coordination::Client& client_;
    const Options options_;
    coordination::ScoringLink scoring_;
    coordination::StepsLink steps_;  ///< The committer's thread's own.
    StoreCrew crew_;  ///< The committer's thread's own, once there is something to write.
    /// The committer's thread's own, as are these three; once it has nothing to write, finish()'s.
    std::set<std::int64_t> spared_;
    std::vector<std::int64_t> unoffered_;  ///< The coordinator has not answered about these.
    bool saidBest_ = false;                ///< Said once, not with every checkpoint.
    bool saidPrune_ = false;
    /// Figures of the whole job; the step thread's own.
    telemetry::ScalarRecorder figures_{wire::ROLE_WORKER, telemetry::kWholeJob};
    Mutex mutex_;
    std::vector<std::string> notices_ LS_GUARDED_BY(mutex_);
    std::vector<std::int64_t> skipped_ LS_GUARDED_BY(mutex_);  ///< Steps; not told yet.
    std::unique_ptr<checkpoint::BackgroundCommitter> committer_;
};

}  // namespace lockstep::train
