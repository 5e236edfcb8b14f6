// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/data/shared_bytes.h"

namespace lockstep::data {

/// The bytes of a file: mapped, or unpacked in memory where they are gzipped (told by content).
/// BadInput, naming `key` of the job file, for what cannot be opened, is no file, or is damaged.
[[nodiscard]] Result<SharedBytes> openSource(const std::string& key,
                                             const std::filesystem::path& path);

/// The same of a file of text in UTF-8, without the mark (BOM) that it may begin with. BadInput for
/// UTF-16 and UTF-32, which are told by theirs.
[[nodiscard]] Result<SharedBytes> openText(const std::string& key,
                                           const std::filesystem::path& path);

/// Whether such a file is there; reads nothing of it.
[[nodiscard]] Result<void> checkSource(const std::string& key, const std::filesystem::path& path);

[[nodiscard]] std::string_view textOf(const SharedBytes& bytes);

}  // namespace lockstep::data
