// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/file.h"
#include "core/base/result.h"

namespace lockstep::checkpoint {

/// `folder`, open and locked: shared by readers, or exclusively by who removes it. Unavailable
/// when others hold it, NotFound when there is no such folder. File systems without locks grant
/// every lock: a reader then relies on the checksums alone.
enum class LockKind { Shared, Exclusive };
[[nodiscard]] Result<UniqueFd> lockFolder(const std::filesystem::path& folder, LockKind kind);

/// Whether `path` still leads to the open folder `fd`.
[[nodiscard]] bool isStillAt(int fd, const std::filesystem::path& path);

/// Renames `from` to `to`. When `to` exists they change places, at once where the file system can.
[[nodiscard]] Result<void> renameOrExchange(const std::filesystem::path& from,
                                            const std::filesystem::path& to);

/// Removes a folder with all in it, unless another process holds a lease on it. Errors are left
/// for the next clean-up.
void removeFolderUnlessLeased(const std::filesystem::path& folder);

}  // namespace lockstep::checkpoint
