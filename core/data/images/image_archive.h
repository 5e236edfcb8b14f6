// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/data/images/tar_archive.h"
#include "core/data/shared_bytes.h"

namespace lockstep::data {

/// Whether the path is of a tar archive (.tar, .tar.gz, .tgz) and not of a folder, with or without
/// ":FOLDER" behind it.
[[nodiscard]] bool namesArchive(const std::filesystem::path& path);

/// The archive's own file, without what is behind it.
[[nodiscard]] std::filesystem::path archiveFileOf(const std::filesystem::path& path);

/// A tar archive, unpacked in memory where it is gzipped, else mapped.
struct ImageArchive {
    SharedBytes bytes;
    std::vector<TarEntry> files;  ///< Those in the folder, by their names below it.
    std::int64_t written = 0;     ///< When, in the file system's own count.
};

/// BadInput, naming `key`, for what is no archive or has no such folder.
[[nodiscard]] Result<ImageArchive> openImageArchive(const std::string& key,
                                                    const std::filesystem::path& path);

}  // namespace lockstep::data
