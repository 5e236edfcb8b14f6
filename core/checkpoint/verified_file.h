// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/checkpoint/manifest.h"

namespace lockstep::checkpoint {

/// A file that a manifest lists, of which any part can be read: in blocks, of which the manifest
/// has a checksum each, and each compared with it. A large file without such a list (of an older
/// version) is read once as a whole, which makes one. No more than a block is ever in memory. One
/// thread; the folder and the manifest outlive it.
class VerifiedFile {
public:
    /// Of the open folder. Corrupt where the file is not there, has another size, or its list is
    /// none of this file.
    [[nodiscard]] static Result<VerifiedFile> open(int folder, const std::string& name,
                                                   const Manifest& manifest);

    [[nodiscard]] std::uint64_t bytes() const { return record_->bytes; }
    /// Fills `to` with the bytes from `offset` on. Corrupt, with the file's name, where a block of
    /// them does not match its checksum, or the file ends before.
    [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> to);
    /// All of it, block by block.
    [[nodiscard]] Result<void> verify();
    /// Closes the file, and forgets its block, until it is read again.
    void rest();

private:
    VerifiedFile(int folder, std::string name, UniqueFd fd, const Manifest& manifest)
        : folder_(folder),
          name_(std::move(name)),
          fd_(std::move(fd)),
          manifest_(&manifest),
          record_(&manifest.files.at(name_)) {}
    [[nodiscard]] std::uint64_t blockBytes() const;
    [[nodiscard]] std::uint64_t blockCount() const;
    [[nodiscard]] const std::string& hashOf(std::uint64_t index) const;
    [[nodiscard]] Result<void> makeReady();
    [[nodiscard]] Result<void> loadBlock(std::uint64_t index);

    int folder_;
    std::string name_;
    UniqueFd fd_;  ///< Not valid while it rests.
    const Manifest* manifest_;
    const FileRecord* record_;
    std::vector<std::string> ownBlocks_;  ///< Where the manifest has none, once it was read.
    std::string block_;                   ///< The one that was read last,
    std::uint64_t blockIndex_ = ~std::uint64_t{0};
};

}  // namespace lockstep::checkpoint
