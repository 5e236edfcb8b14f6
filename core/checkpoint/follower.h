// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/snapshot.h"

namespace lockstep::checkpoint {

/// Follows the checkpoints of a run as another process commits them: yields each exactly once,
/// the oldest unseen first. Waits for nothing: whoever calls decides when. One thread.
class CheckpointFollower {
public:
    enum class Policy : std::uint8_t {
        Every,   ///< Each that still exists when its turn comes.
        Newest,  ///< Skips those that are older than the newest one there.
    };
    struct Options {
        Policy policy = Policy::Every;
        Nanos retryAfter = Millis(500);  ///< Between attempts to read a damaged checkpoint.
        int attempts = 3;                ///< Then it is yielded with its error.
    };
    /// A checkpoint that appeared: its content, or why it could not be read.
    struct Found {
        std::int64_t step = 0;
        Result<LoadedCheckpoint> content;
    };

    /// `folder` (`checkpoints` of a run) need not exist yet.
    CheckpointFollower(std::filesystem::path folder, Options options);

    /// The next checkpoint, verified and loaded; nullopt when nothing new is there, or a damaged
    /// one waits for its next attempt. Those pruned before their turn are left out.
    [[nodiscard]] std::optional<Found> poll(Nanos now);

    /// Does not yield `step`, for one that was evaluated by an earlier life of the evaluator.
    void skip(std::int64_t step);

private:
    struct Retry {
        int failures = 0;
        Nanos notBefore{};
    };

    std::vector<std::int64_t> unseen(const CheckpointStore& store) const;

    std::filesystem::path folder_;
    Options options_;
    std::set<std::int64_t> seen_;
    std::map<std::int64_t, Retry> retries_;
};

}  // namespace lockstep::checkpoint
