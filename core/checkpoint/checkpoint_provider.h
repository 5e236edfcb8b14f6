// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint_source.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/manifest.h"

namespace lockstep::checkpoint {

/// Hands out pieces of the committed checkpoints of a folder, and of nothing else: a file must be
/// the manifest or listed in it. The checkpoint that a reader is at is not pruned under its hands
/// for half a minute after its last piece. One thread.
class CheckpointProvider {
public:
    explicit CheckpointProvider(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Empty while the folder is not there yet.
    [[nodiscard]] Result<CheckpointListing> list() const;
    /// As CheckpointSource::read; `reader` says whose place is kept.
    [[nodiscard]] Result<std::string> read(const std::string& reader, std::int64_t step,
                                           const std::string& file, std::uint64_t offset,
                                           std::uint32_t length, Nanos now);
    /// Lets go of places whose readers have not come for a while.
    void release(Nanos now);

private:
    struct Place {
        std::int64_t step = 0;
        Lease lease;
        Manifest manifest;
        Nanos usedAt{};
    };
    [[nodiscard]] Result<Place*> placeOf(const std::string& reader, std::int64_t step, Nanos now);

    std::filesystem::path folder_;
    std::map<std::string, Place> places_;
};

}  // namespace lockstep::checkpoint
