// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::checkpoint {

// Names in a run's `checkpoints` folder.

inline constexpr const char* kModelFile = "model.safetensors";
inline constexpr const char* kOptimizerFile = "optimizer.safetensors";
/// Of sharded ones, as PyTorch's distributed checkpoints wants them: a folder each.
inline constexpr const char* kModelFolder = "model";
inline constexpr const char* kOptimizerFolder = "optimizer";
/// In a shard's header: where each of its tensors begins in the whole one.
inline constexpr const char* kShardingInfo = "DCP_SHARDING_INFO";
inline constexpr const char* kSavedOffsets = "saved_offsets";
inline constexpr const char* kStateFile = "state.json";
inline constexpr const char* kManifestFile = "manifest.json";
/// In a checkpoint's folder, beside what its manifest lists: see suspect_mark.h.
inline constexpr const char* kSuspectFile = "suspect";
inline constexpr const char* kLatestFile = "LATEST";
inline constexpr const char* kBestFile = "BEST";

/// "step-500".
[[nodiscard]] std::string folderName(std::int64_t step);
/// The step of a folder's name; nullopt for every other name.
[[nodiscard]] std::optional<std::int64_t> stepOfFolder(std::string_view name);

/// "model/shard-00003-model-00001-of-00001.safetensors", as PyTorch names the shards that it
/// writes.
[[nodiscard]] std::string shardName(std::string_view folder, int shard);
/// Whether a manifest may list it: a file of a checkpoint's folder, or of one of the two in it.
[[nodiscard]] bool isFileOfCheckpoint(std::string_view name);

/// A fresh name for a folder that is not a checkpoint (yet, or any more).
[[nodiscard]] std::string temporaryName(std::int64_t step);
/// Whether only a writer that crashed can have left this name.
[[nodiscard]] bool isTemporaryName(std::string_view name);

/// Content of LATEST and BEST: the folder's name and its checksum, a line each.
[[nodiscard]] std::string encodePointer(std::int64_t step);
[[nodiscard]] std::optional<std::int64_t> parsePointer(std::string_view text);

}  // namespace lockstep::checkpoint
