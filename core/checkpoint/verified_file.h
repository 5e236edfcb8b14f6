// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/checkpoint/manifest.h"

namespace lockstep::checkpoint {

/// A file that a manifest lists, of which any part can be read: in the blocks of which the manifest
/// has a checksum each, and each compared with it. A file without such a list is one block. One
/// thread; the manifest's record outlives it.
class VerifiedFile {
public:
    /// Of the open folder. Corrupt where the file is not there, or has another size.
    [[nodiscard]] static Result<VerifiedFile> open(int folder, const std::string& name,
                                                   const Manifest& manifest);

    [[nodiscard]] std::uint64_t bytes() const { return record_->bytes; }
    /// Fills `to` with the bytes from `offset` on. Corrupt, with the file's name, where a block of
    /// them does not match its checksum, or the file ends before.
    [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> to);
    /// All of it, block by block.
    [[nodiscard]] Result<void> verify();

private:
    VerifiedFile(std::string name, UniqueFd fd, const FileRecord& record)
        : name_(std::move(name)), fd_(std::move(fd)), record_(&record) {}
    [[nodiscard]] std::uint64_t blockBytes() const;
    [[nodiscard]] Result<void> loadBlock(std::uint64_t index);

    std::string name_;
    UniqueFd fd_;
    const FileRecord* record_;
    std::string block_;  ///< The one that was read last,
    std::uint64_t blockIndex_ = ~std::uint64_t{0};
};

}  // namespace lockstep::checkpoint
