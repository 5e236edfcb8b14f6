// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint_source.h"
#include "core/checkpoint/snapshot.h"

namespace lockstep::train {

/// The committed checkpoints of a run, wherever they lie, for who trains none on. One thread.
class CheckpointPlace {
public:
    virtual ~CheckpointPlace() = default;

    /// What LATEST and BEST name; NotFound where they name nothing.
    [[nodiscard]] virtual Result<std::int64_t> latest() = 0;
    [[nodiscard]] virtual Result<std::int64_t> best() = 0;
    /// Verified, then read, without the optimiser's state. NotFound: it has been pruned. Timeout,
    /// PeerLost, Cancelled: it was on its way; the next call goes on from there.
    [[nodiscard]] virtual Result<checkpoint::LoadedCheckpoint> load(std::int64_t step) = 0;
};

/// In a folder that this host sees.
[[nodiscard]] std::unique_ptr<CheckpointPlace> placeInFolder(
    const std::filesystem::path& checkpoints);

/// Behind a source, by way of `checkpoints`, a folder of this host's own that holds one at a time.
/// `source` outlives the place; `cancelled` ends a fetch that is under way.
[[nodiscard]] std::unique_ptr<CheckpointPlace> placeBehindSource(
    checkpoint::CheckpointSource& source, const std::filesystem::path& checkpoints,
    std::function<bool()> cancelled);

/// load(), tried again where it was cut off, until `cancelled`; and three times in all, half a
/// second apart, where the checkpoint is damaged: a file system of several hosts may be late.
[[nodiscard]] Result<checkpoint::LoadedCheckpoint> loadPatiently(
    CheckpointPlace& place, std::int64_t step, const std::function<bool()>& cancelled);

}  // namespace lockstep::train
