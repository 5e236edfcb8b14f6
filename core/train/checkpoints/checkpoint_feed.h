// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint_fetcher.h"
#include "core/checkpoint/checkpoint_source.h"
#include "core/checkpoint/follower.h"
#include "core/checkpoint/snapshot.h"

namespace lockstep::train {

/// The committed checkpoints of a run, wherever they lie: each once, in order. One thread.
class CheckpointFeed {
public:
    using Found = checkpoint::CheckpointFollower::Found;
    virtual ~CheckpointFeed() = default;

    /// The next one that is new, verified and loaded; nothing when there is none yet.
    [[nodiscard]] virtual std::optional<Found> poll(Nanos now) = 0;
    /// Does not give `step`.
    virtual void skip(std::int64_t step) = 0;
    /// What LATEST and BEST name; NotFound where they name nothing.
    [[nodiscard]] virtual Result<std::int64_t> latest() = 0;
    [[nodiscard]] virtual Result<std::int64_t> best() = 0;
    [[nodiscard]] virtual Result<checkpoint::LoadedCheckpoint> load(std::int64_t step) = 0;
};

/// In a folder that this host sees.
[[nodiscard]] std::unique_ptr<CheckpointFeed> feedFromFolder(
    const std::filesystem::path& checkpoints);

/// From a source, by way of `checkpoints`, a folder of this host's own that holds one at a time.
/// `source` outlives the feed; `cancelled` ends a fetch that is under way.
[[nodiscard]] std::unique_ptr<CheckpointFeed> feedFromSource(
    checkpoint::CheckpointSource& source, const std::filesystem::path& checkpoints,
    std::function<bool()> cancelled);

}  // namespace lockstep::train
