// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/mutex.h"
#include "core/checkpoint/background_committer.h"
#include "core/coordination/client.h"
#include "core/train/replica_loop.h"

namespace lockstep::train {

/// What process 0 does for all: writes the checkpoints and tells the coordinator how the run goes.
class Chief final : public RunEvents {
public:
    /// Takes the writer's lock of `checkpoints`. Unavailable when another program writes there.
    [[nodiscard]] static Result<std::unique_ptr<Chief>> open(
        coordination::Client& client, const std::filesystem::path& checkpoints, int keep);

    void stateChanged(wire::RunState state, const std::string& sentence) override;
    void epochEnded(const wire::EpochResult& result) override;
    void stoppedEarly(const std::string& sentence) override;
    void checkpoint(const checkpoint::Snapshot& snapshot) override;
    [[nodiscard]] Result<checkpoint::LoadedCheckpoint> bestCheckpoint(std::int64_t step) override;

    /// Until every checkpoint taken is durable. An error when that takes longer than `timeout`, or
    /// when the newest one could not be written: the job's result would be lost.
    [[nodiscard]] Result<void> finish(Nanos timeout);

private:
    Chief(coordination::Client& client, std::filesystem::path checkpoints)
        : client_(client), checkpoints_(std::move(checkpoints)) {}
    void tell(wire::Record record);
    void committed(const checkpoint::CommitReport& report);

    coordination::Client& client_;
    std::filesystem::path checkpoints_;
    Mutex mutex_;
    checkpoint::CommitReport newest_ LS_GUARDED_BY(mutex_);  ///< Of the snapshot taken last.
    std::unique_ptr<checkpoint::BackgroundCommitter> committer_;
};

}  // namespace lockstep::train
