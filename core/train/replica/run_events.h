// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/checkpoint/snapshot.h"
#include "core/checkpoint/snapshot_copy.h"
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
    /// Whether checkpoint() has to wait for the disk first.
    [[nodiscard]] virtual bool isDiskBusy() { return false; }
    /// Takes the snapshot to be committed in the background; holds the step for a memory copy.
    /// `isRight` must be asked once, behind the copy, of which nothing is kept where it gives an
    /// error.
    /// `isLast`: none will follow. Neither that one nor the best is left out for a hung disk.
    virtual void checkpoint(const checkpoint::Snapshot& snapshot, bool isLast,
                            const checkpoint::CopyCheck& isRight) = 0;
    /// The checkpoint of `step`, which was the run's best, once it is durable; waits for that.
    /// Where it is not on disk, the best one that is.
    [[nodiscard]] virtual Result<checkpoint::LoadedCheckpoint> bestCheckpoint(
        std::int64_t /*step*/) {
        return fail(ErrorCode::NotFound, "this run keeps no checkpoints");
    }
};

}  // namespace lockstep::train
