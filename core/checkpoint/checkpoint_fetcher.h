// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/checkpoint/arriving_checkpoint.h"
#include "core/checkpoint/checkpoint_source.h"
#include "core/checkpoint/manifest.h"

namespace lockstep::checkpoint {

/// Brings checkpoints of a source, or what is asked for of them, into a local folder of its own,
/// where CheckpointStore reads them. A checkpoint appears there with all of that and verified, or
/// not at all; one that was cut off is gone on with where it stopped. One thread.
class CheckpointFetcher {
public:
    /// `folder` is made when the first checkpoint comes. `cancelled` is asked between two pieces.
    CheckpointFetcher(CheckpointSource& source, std::filesystem::path folder,
                      std::function<bool()> cancelled, Contents contents = Contents::All);

    enum class Present : std::uint8_t {
        Suffices,    ///< One of the step that is there is not asked for again.
        IsCompared,  ///< Of another commit of the step, it makes way once the new one is whole.
    };
    /// Returns once `folder`/step-N is there and verified. NotFound when the source has no such
    /// checkpoint (any more): the next one is to be tried. Corrupt when what came does not match
    /// its manifest, also not at a second attempt. Cancelled; Timeout and PeerLost as the source;
    /// Io when it cannot be stored.
    [[nodiscard]] Result<void> fetch(std::int64_t step, Present present = Present::Suffices);
    /// Removes the local copy.
    void forget(std::int64_t step) const;

private:
    [[nodiscard]] Result<void> fetchInto(const ArrivingCheckpoint& arriving, std::int64_t step);
    [[nodiscard]] Result<std::string> fetchManifest(std::int64_t step);
    [[nodiscard]] Result<void> fetchFile(const ArrivingCheckpoint& arriving, std::int64_t step,
                                         const std::string& name, const FileRecord& record);

    CheckpointSource& source_;
    std::filesystem::path folder_;
    std::function<bool()> cancelled_;
    Contents contents_;
};

}  // namespace lockstep::checkpoint
