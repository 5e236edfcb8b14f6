// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/manifest.h"

namespace lockstep::checkpoint {

/// A checkpoint of another folder that comes in pieces. Until it is placed it lies beside the
/// checkpoints of `folder` under a name that is none of theirs, which stays when whoever brings it
/// is cut off, and is gone on with. Keeps nothing in memory. One writer.
class ArrivingCheckpoint {
public:
    ArrivingCheckpoint(std::filesystem::path folder, std::int64_t step);

    /// `manifest` is the text of its manifest.json. What has come of another commit of the step is
    /// forgotten. Corrupt when it is no manifest of this step, Io.
    [[nodiscard]] Result<Manifest> begin(const std::string& manifest) const;
    /// Bytes of a file that have come. BadInput for what is no file of a checkpoint.
    [[nodiscard]] Result<std::uint64_t> sizeOf(const std::string& file) const;
    /// Adds what comes behind them: `offset` must be sizeOf() (BadInput). Io when it cannot be
    /// stored: what has come before stays.
    [[nodiscard]] Result<void> add(const std::string& file, std::uint64_t offset,
                                   std::string_view bytes) const;
    /// Makes all of it durable, compares every byte with the manifest, and gives it its name; one
    /// that had it makes way. Corrupt when it does not match: it is to be discarded.
    [[nodiscard]] Result<void> place(Contents contents = Contents::All) const;
    void discard() const;

    /// Discards what has come of other checkpoints, which nobody goes on with.
    void discardOthers() const;

private:
    [[nodiscard]] Result<void> makeDurable(Contents contents) const;

    std::filesystem::path folder_;
    std::int64_t step_;
    std::filesystem::path temporary_;
};

/// The steps of those that have begun to come into `folder` and are not placed yet, ascending.
[[nodiscard]] std::vector<std::int64_t> arrivingSteps(const std::filesystem::path& folder);

/// Whether a file of a checkpoint is of those contents.
[[nodiscard]] bool isOfContents(std::string_view file, Contents contents);

}  // namespace lockstep::checkpoint
