// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/manifest.h"
#include "core/checkpoint/safetensors.h"
#include "core/checkpoint/shard_crew.h"
#include "core/checkpoint/snapshot.h"

namespace lockstep::checkpoint {

/// Creates `folder` and writes the files of a checkpoint into it, the manifest last, each synced,
/// then the folder. Returns their bytes. On an error the folder may be left, incomplete. Of a
/// sharded one `crew` writes meanwhile what `snapshot` has not; null: that is all.
[[nodiscard]] Result<std::uint64_t> writeCheckpoint(const std::filesystem::path& folder,
                                                    const Snapshot& snapshot,
                                                    ShardCrew* crew = nullptr);

/// Bytes of the blocks of which the manifest has a checksum each, of a shard of so many: 256 KiB,
/// or twice, four times … that where there would be more than 4096 of them, up to what readers
/// take.
[[nodiscard]] std::uint64_t blockBytesOf(std::uint64_t fileBytes);

/// A tensor of a shard, or a part of one that begins at `offsets` of the whole.
struct ShardPiece {
    SafetensorView view;
    std::vector<std::int64_t> offsets;
};
/// Writes them as the file of that number of the kind's folder, which is there, synced but for the
/// folder. No name twice. Adds what the manifest is to say of it.
[[nodiscard]] Result<void> writeShard(const std::filesystem::path& folder, const char* kind,
                                      int number, const std::vector<ShardPiece>& pieces,
                                      FileRecords& records);

/// Writes the tensors of a sharded snapshot into their files in `folder`, whose two folders are
/// there, each synced. What the manifest is to say of them.
[[nodiscard]] Result<FileRecords> writeShards(const std::filesystem::path& folder,
                                              const Snapshot& snapshot);

}  // namespace lockstep::checkpoint
