// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/layout.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>

#include "core/base/hash.h"
#include "core/base/ids.h"

namespace lockstep::checkpoint {

namespace {
constexpr std::string_view kFolderPrefix = "step-";
constexpr std::string_view kTemporaryPrefix = ".tmp-";
// Of replaceFileDurably:
constexpr std::string_view kTemporaryLatestPrefix = "LATEST.tmp-";
constexpr std::string_view kTemporaryBestPrefix = "BEST.tmp-";
}  // namespace

std::string folderName(std::int64_t step) {
    return fmt::format("{}{}", kFolderPrefix, step);
}

std::optional<std::int64_t> stepOfFolder(std::string_view name) {
    if (!name.starts_with(kFolderPrefix)) return std::nullopt;
    const std::string_view digits = name.substr(kFolderPrefix.size());
    std::int64_t step = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
    // Only the one spelling that folderName gives: not step-007, step--1 or step-5x.
    if (error != std::errc() || end != digits.data() + digits.size() || step < 0 ||
        folderName(step) != name)
        return std::nullopt;
    return step;
}

std::string shardName(std::string_view folder, int shard) {
    return fmt::format("{}/shard-{:05}-model-00001-of-00001.safetensors", folder, shard);
}

bool isFileOfCheckpoint(std::string_view name) {
    const std::string_view folder = name.substr(0, name.find('/'));
    const bool isShard =
        folder.size() < name.size() && (folder == kModelFolder || folder == kOptimizerFolder);
    if (isShard) name.remove_prefix(folder.size() + 1);
    return !name.empty() && name.front() != '.' && name.find('/') == std::string_view::npos &&
           name != kManifestFile;
}

std::string temporaryName(std::int64_t step) {
    return fmt::format("{}{}-{}-{}", kTemporaryPrefix, step, ::getpid(), randomHex(4));
}

bool isTemporaryName(std::string_view name) {
    return name.starts_with(kTemporaryPrefix) || name.starts_with(kTemporaryLatestPrefix) ||
           name.starts_with(kTemporaryBestPrefix);
}

std::string encodePointer(std::int64_t step) {
    const std::string name = folderName(step);
    return fmt::format("{}\n{}\n", name, contentHash(name));
}

std::optional<std::int64_t> parsePointer(std::string_view text) {
    const auto step = stepOfFolder(text.substr(0, text.find('\n')));
    if (!step || encodePointer(*step) != text) return std::nullopt;
    return step;
}

}  // namespace lockstep::checkpoint
