// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/snapshot.h"

namespace lockstep::checkpoint {

/// What one file of a checkpoint must be.
struct FileRecord {
    std::uint64_t bytes = 0;
    std::string hash;                            ///< contentHash of the whole file.
    std::map<std::string, std::string> tensors;  ///< contentHash of each tensor's bytes, by name.
    /// contentHash of each stretch of `blockBytes` of the file, the last one shorter, so that a
    /// part of it can be read without the rest. Empty: of files that are one block, or always read
    /// whole.
    std::vector<std::string> blocks{};
    std::uint64_t blockBytes = 0;

    [[nodiscard]] bool operator==(const FileRecord&) const = default;
};

/// Bytes of manifest.json that are read, and of a block, which is in memory before it is known to
/// be well.
inline constexpr std::uint64_t kLargestManifest = 64 << 20;
inline constexpr std::uint64_t kLargestBlock = 64 << 20;
/// Of a file that is no larger the checksum is that of its one block.
inline constexpr std::uint64_t kLeastBlock = 256 << 10;

using FileRecords = std::map<std::string, FileRecord>;

/// The list of a checkpoint's files with their checksums: written last, it makes the rest valid.
struct Manifest {
    std::int64_t step = 0;
    FileRecords files;  ///< By name, "model.safetensors" or "model/NAME".
    int format = kCheckpointFormat;

    [[nodiscard]] bool operator==(const Manifest&) const = default;
};

/// manifest.json, which carries a checksum of itself.
[[nodiscard]] std::string encodeManifest(const Manifest& manifest);
/// Corrupt unless `text` is, byte for byte, what encodeManifest writes for one of the formats 1 to
/// kShardedFormat.
[[nodiscard]] Result<Manifest> parseManifest(std::string_view text);

/// What somebody who writes parts of a checkpoint tells whoever commits it, and the way back.
[[nodiscard]] std::string encodeRecords(const FileRecords& records);
[[nodiscard]] Result<FileRecords> parseRecords(std::string_view text);

}  // namespace lockstep::checkpoint
