// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/data/packed/scratch_bytes.h"
#include "core/data/shared_bytes.h"

namespace lockstep::data {

/// The bytes of a file: mapped, or unpacked into `scratch` where they are gzipped (told by
/// content). BadInput, naming `key` of the job file, for what cannot be opened, is no file, or is
/// damaged; what `scratch` fails with.
[[nodiscard]] Result<SharedBytes> openSource(const std::string& key,
                                             const std::filesystem::path& path,
                                             ScratchBytes scratch = ScratchBytes({}));

/// The same of a file of text in UTF-8, without the mark (BOM) that it may begin with. BadInput for
/// UTF-16 and UTF-32, which are told by theirs.
[[nodiscard]] Result<SharedBytes> openText(const std::string& key,
                                           const std::filesystem::path& path,
                                           ScratchBytes scratch = ScratchBytes({}));

/// Changes when one of the files is written anew: their places, sizes and times.
[[nodiscard]] std::string identityOf(const std::vector<std::filesystem::path>& files);
/// Of those that are there, in bytes.
[[nodiscard]] std::uint64_t sizeOf(const std::vector<std::filesystem::path>& files);

/// Whether such a file is there; reads nothing of it.
[[nodiscard]] Result<void> checkSource(const std::string& key, const std::filesystem::path& path);

[[nodiscard]] std::string_view textOf(const SharedBytes& bytes);

}  // namespace lockstep::data
