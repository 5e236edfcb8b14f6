// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/folder_ops.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <tuple>

#include "core/base/uninterrupted.h"

namespace lockstep::checkpoint {

namespace {

bool renameFailed(const std::filesystem::path& from, const std::filesystem::path& to) {
    return uninterrupted([&] { return ::rename(from.c_str(), to.c_str()); }) != 0;
}

bool exchangeFailed(const std::filesystem::path& one, const std::filesystem::path& other) {
    return uninterrupted([&] {
               return ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE);
           }) != 0;
}

tl::unexpected<Error> failRename(const std::filesystem::path& from,
                                 const std::filesystem::path& to) {
    return fail(ErrorCode::Io,
                fmt::format("cannot rename {} to {}: {}", from.string(), to.string(), errnoText()));
}

}  // namespace

Result<UniqueFd> lockFolder(const std::filesystem::path& folder, LockKind kind) {
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
    UniqueFd fd(uninterrupted([&] { return ::open(folder.c_str(), kFlags); }));
    if (!fd.valid())
        return fail(errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
                    fmt::format("cannot open {}: {}", folder.string(), errnoText()));
    const int operation = kind == LockKind::Shared ? LOCK_SH : LOCK_EX;
    const int locked = uninterrupted([&] { return ::flock(fd.get(), operation | LOCK_NB); });
    if (locked != 0 && errno == EWOULDBLOCK)
        return fail(ErrorCode::Unavailable, fmt::format("{} is in use", folder.string()));
    return fd;
}

bool isStillAt(int fd, const std::filesystem::path& path) {
    struct stat opened {};
    struct stat named {};
    return ::fstat(fd, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

Result<void> renameOrExchange(const std::filesystem::path& from, const std::filesystem::path& to) {
    if (!renameFailed(from, to)) return {};
    if (errno != ENOTEMPTY && errno != EEXIST) return failRename(from, to);
    if (!exchangeFailed(from, to)) return {};
    if (errno != EINVAL && errno != ENOSYS) return failRename(from, to);
    // This file system cannot exchange. A crash between the two renames leaves no folder of this
    // step; readers then fall back to an older one.
    const std::filesystem::path aside = from.string() + "-replaced";
    if (renameFailed(to, aside)) return failRename(to, aside);
    if (renameFailed(from, to)) {
        auto error = failRename(from, to);
        std::ignore = renameFailed(aside, to);  // the first error tells
        return error;
    }
    if (renameFailed(aside, from)) return failRename(aside, from);
    return {};
}

void removeFolderUnlessLeased(const std::filesystem::path& folder) {
    const auto lock = lockFolder(folder, LockKind::Exclusive);
    if (!lock) return;
    std::error_code error;
    std::filesystem::remove_all(folder, error);
}

}  // namespace lockstep::checkpoint
