// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/checkpoint/commit_pace.h"
#include "core/checkpoint/shard_crew.h"
#include "core/checkpoint/snapshot.h"
#include "core/checkpoint/snapshot_copy.h"

namespace lockstep::checkpoint {

/// One of the crew: keeps copies of its parts of the newest snapshots and writes them when the
/// order comes, on a thread named `shard`, so that the step waits for a memory copy only. That of
/// the last one is kept, since its commit may be tried again.
class ShardWriter {
public:
    /// `checkpoints`: the run's, in which an order names a folder.
    [[nodiscard]] static std::unique_ptr<ShardWriter> start(std::filesystem::path checkpoints,
                                                            std::unique_ptr<ShardDesk> desk,
                                                            CommitLimits limits = {});

    /// Ends without waiting for further orders; one that is being carried out is finished.
    virtual ~ShardWriter() = default;

    /// Copies the tensors, for the order of the same Snapshot::number. Where both copies are still
    /// to be written after `timeout`, or one is being written for so long that it counts as hung
    /// (CommitPace) and this is neither the last nor the best, it is not taken, and the order will
    /// be answered with that.
    /// `isLast`: none will follow. `isRight`: as BackgroundCommitter's.
    virtual void submit(const Snapshot& snapshot, Nanos timeout, bool isLast,
                        const CopyCheck& isRight = {}) = 0;

    /// Whether submit() has to wait: both copies are still to be written.
    [[nodiscard]] virtual bool isBusy() = 0;

    /// Until the last order has come, or none can come any more. Timeout.
    [[nodiscard]] virtual Result<void> finish(Nanos timeout) = 0;
};

}  // namespace lockstep::checkpoint
