// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint_source.h"
#include "core/checkpoint/checkpoint_store.h"

namespace lockstep::checkpoint {

/// How one attempt to copy a checkpoint ended.
struct CopyReport {
    std::int64_t step = 0;
    double seconds = 0;
    std::uint32_t failures = 0;  ///< Attempts that have failed since the last one that did not.
    std::optional<Error> error;  ///< It is tried again. Absent: it is there, durable, verified.
};

/// Keeps the newest committed checkpoints of a source, and its best one, in a folder of this host:
/// a store like the one they come from, with the marks of suspicion and of retention that they have
/// there. Each appears there whole and verified or not at all. Where
/// they come faster than they are copied, only the newest is waited for: those between are never
/// copied. One thread, which is that of the copying.
class CheckpointCopies {
public:
    /// `keep` as for CheckpointStore::prune. `cancelled` is asked between two pieces. `source`
    /// outlives this.
    CheckpointCopies(CheckpointSource& source, std::filesystem::path folder, int keep,
                     std::function<bool()> cancelled);

    /// Makes one attempt where there is one to make; after a failure not before a pause that grows
    /// from 1 s to 30 s. Nothing where there is nothing to copy, or nobody answers. `place`: why
    /// the folder may not be touched, if so, of which an attempt fails.
    [[nodiscard]] std::optional<CopyReport> turn(Nanos now, const Result<void>& place = {});

private:
    [[nodiscard]] std::optional<std::int64_t> wanted(const CheckpointListing& listing) const;
    [[nodiscard]] Result<void> copy(std::int64_t step, const CheckpointListing& listing);
    void followMarks(const CheckpointListing& listing) const;

    CheckpointSource& source_;
    std::filesystem::path folder_;
    int keep_;
    std::function<bool()> cancelled_;
    std::optional<CheckpointStore> store_;  ///< Once the folder could be made and locked.
    std::optional<std::int64_t> newest_;    ///< That was copied, or found to be the source's.
    std::uint32_t failures_ = 0;
    Nanos notBefore_{};
};

}  // namespace lockstep::checkpoint
