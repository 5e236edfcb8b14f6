// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/checkpoint/manifest.h"

namespace lockstep::checkpoint {

/// A regular file of the open folder, or of a folder in it ("model/NAME"), open for reading; no
/// link is followed. Corrupt when it is not there, or is none.
[[nodiscard]] Result<UniqueFd> openFileOf(int folder, const std::string& name);

/// The whole file, unless it is too large for a manifest. Read, not mapped: a file that shrinks
/// must not kill the process.
[[nodiscard]] Result<std::string> readWhole(int folder, const std::string& name);

/// `length` bytes from `offset` on; Corrupt where the file ends before.
[[nodiscard]] Result<std::string> readAt(int fd, const std::string& name, std::uint64_t offset,
                                         std::uint64_t length);

/// A file that the manifest lists, open, of the size that it lists.
[[nodiscard]] Result<UniqueFd> openListed(int folder, const std::string& name,
                                          const Manifest& manifest);

/// A file that the manifest lists, with the size and checksum it lists.
[[nodiscard]] Result<std::string> readListed(int folder, const std::string& name,
                                             const Manifest& manifest);

}  // namespace lockstep::checkpoint
