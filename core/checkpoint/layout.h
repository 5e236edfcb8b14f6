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
inline constexpr const char* kStateFile = "state.json";
inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kLatestFile = "LATEST";
inline constexpr const char* kBestFile = "BEST";

/// "step-500".
[[nodiscard]] std::string folderName(std::int64_t step);
/// The step of a folder's name; nullopt for every other name.
[[nodiscard]] std::optional<std::int64_t> stepOfFolder(std::string_view name);

/// A fresh name for a folder that is not a checkpoint (yet, or any more).
[[nodiscard]] std::string temporaryName(std::int64_t step);
/// Whether only a writer that crashed can have left this name.
[[nodiscard]] bool isTemporaryName(std::string_view name);

/// Content of LATEST and BEST: the folder's name and its checksum, a line each.
[[nodiscard]] std::string encodePointer(std::int64_t step);
[[nodiscard]] std::optional<std::int64_t> parsePointer(std::string_view text);

}  // namespace lockstep::checkpoint
