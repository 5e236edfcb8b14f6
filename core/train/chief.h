// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

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
    void checkpoint(const checkpoint::Snapshot& snapshot) override;

    /// Until every checkpoint taken is durable, or has failed.
    [[nodiscard]] Result<void> flush(Nanos timeout) { return committer_->flush(timeout); }

private:
    explicit Chief(coordination::Client& client) : client_(client) {}
    void tell(wire::Record record);
    void committed(const checkpoint::CommitReport& report);

    coordination::Client& client_;
    std::unique_ptr<checkpoint::BackgroundCommitter> committer_;
};

}  // namespace lockstep::train
