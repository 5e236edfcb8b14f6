// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/suspect_mark.h"

namespace lockstep::checkpoint {

/// At most so much of a file travels at once: heartbeats must not wait behind it.
inline constexpr std::uint32_t kLargestPiece = 256 << 10;

/// What a folder of checkpoints holds.
struct CheckpointListing {
    std::vector<std::int64_t> steps;  ///< Ascending.
    std::optional<std::int64_t> latest;
    std::optional<std::int64_t> best;
    std::vector<Suspicion> suspects;  ///< Of `steps`.
    std::vector<std::int64_t> kept;   ///< Of `steps`, by a user's word.
};

/// Committed checkpoints that lie elsewhere.
class CheckpointSource {
public:
    virtual ~CheckpointSource() = default;
    [[nodiscard]] virtual Result<CheckpointListing> list() = 0;
    /// `length` bytes (1 to kLargestPiece) of a file from `offset` on, fewer at its end; none
    /// behind it. NotFound when the checkpoint is not there (any more), BadInput for a file that
    /// its manifest does not list; Timeout and PeerLost when nobody answers.
    [[nodiscard]] virtual Result<std::string> read(std::int64_t step, const std::string& file,
                                                   std::uint64_t offset, std::uint32_t length) = 0;
};

}  // namespace lockstep::checkpoint
