// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

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
    void notice(const std::string& sentence) override;
    void checkpoint(const checkpoint::Snapshot& snapshot, bool isLast) override;
    [[nodiscard]] Result<checkpoint::LoadedCheckpoint> bestCheckpoint(std::int64_t step) override;

    /// Until the snapshot taken last is durable. On a full disk it is tried again for some minutes,
    /// which is said, unless `givesUp`. An error when it could not be written: the job's result
    /// would be lost.
    [[nodiscard]] Result<void> finish(const std::function<bool()>& givesUp);

    /// The sentences of notice() so far.
    [[nodiscard]] std::vector<std::string> notices();

private:
    Chief(coordination::Client& client, std::filesystem::path checkpoints)
        : client_(client), checkpoints_(std::move(checkpoints)) {}
    void tell(wire::Record record);
    void committed(const checkpoint::CommitReport& report);
    [[nodiscard]] std::string newestOnDisk() const;

    coordination::Client& client_;
    std::filesystem::path checkpoints_;
    Mutex mutex_;
    std::vector<std::string> notices_ LS_GUARDED_BY(mutex_);
    std::unique_ptr<checkpoint::BackgroundCommitter> committer_;
};

}  // namespace lockstep::train
