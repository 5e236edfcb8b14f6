// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/checkpoint/manifest.h"

namespace lockstep::checkpoint {

/// To write the parts of a checkpoint.
struct ShardOrder {
    std::uint64_t number = 0;  ///< As Snapshot::number; 0: there will be no other order.
    std::string folder{};      ///< A name in the folder of checkpoints; it is there with its two.

    [[nodiscard]] bool isLast() const { return number == 0; }
};

/// Those who write parts of a run's checkpoints, as whoever commits these sees them. One thread at
/// a time.
class ShardCrew {
public:
    virtual ~ShardCrew() = default;

    /// They begin to write, while the caller writes its own part.
    [[nodiscard]] virtual Result<void> order(const ShardOrder& order) = 0;
    /// What all of them have written, once they have; nobody writes any more then, unless it is
    /// Timeout. The error of one who could not, with who it is.
    [[nodiscard]] virtual Result<FileRecords> collect() = 0;
};

/// Where one of the crew gets its orders from. One thread.
class ShardDesk {
public:
    virtual ~ShardDesk() = default;

    /// The next order; nothing where none has come within `timeout`. PeerLost and others: none
    /// will.
    [[nodiscard]] virtual Result<std::optional<ShardOrder>> next(Nanos timeout) = 0;
    /// What became of the order that next() gave last.
    [[nodiscard]] virtual Result<void> report(const Result<FileRecords>& written) = 0;
};

}  // namespace lockstep::checkpoint
