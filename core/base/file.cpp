// SPDX-License-Identifier: Apache-2.0
#include "core/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/base/file_parts.h"
#include "core/base/uninterrupted.h"

namespace lockstep {

namespace {

/// A disk or a quota that is full, or a limit on a file's size, may have room again later.
bool isOutOfRoom() {
    return errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
}

ErrorCode codeOfErrno() {
    if (errno == ENOENT) return ErrorCode::NotFound;
    return isOutOfRoom() ? ErrorCode::NoRoom : ErrorCode::Io;
}

tl::unexpected<Error> failIo(std::string_view verb, const std::filesystem::path& path) {
    return fail(codeOfErrno(), fmt::format("cannot {} {}: {}", verb, path.string(), errnoText()));
}

Result<void> writeSyncClose(UniqueFd fd, std::span<const std::string_view> parts,
                            const std::filesystem::path& path) {
    for (const std::string_view part : parts)
        if (auto written = writeAll(fd.get(), part); !written)
            return failWithin("writing " + path.string(), written.error());
    // A failed fsync may have dropped the pages: it is never retried, the file counts as lost. One
    // that was interrupted has not been made.
    if (uninterrupted([&] { return ::fsync(fd.get()); }) != 0) return failIo("sync", path);
    // An interrupted close has closed, and all is on the disk already.
    if (::close(fd.release()) != 0 && errno != EINTR) return failIo("close", path);
    return {};
}

}  // namespace

void UniqueFd::reset(int fd) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
}

std::string errnoText() {
    return std::generic_category().message(errno);
}

Result<std::string> readFile(const std::filesystem::path& path, std::uint64_t limitBytes) {
    const UniqueFd fd(
        uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
    if (!fd.valid()) return failIo("open", path);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return failIo("stat", path);
    if (!S_ISREG(status.st_mode))
        return fail(ErrorCode::BadInput, path.string() + " is not a regular file");
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size > limitBytes)
        return fail(ErrorCode::BadInput, fmt::format("{} has {} bytes; at most {} are accepted",
                                                     path.string(), size, limitBytes));
    std::string text(size, '\0');
    std::size_t filled = 0;
    while (filled < text.size()) {
        const ssize_t got = ::read(fd.get(), text.data() + filled, text.size() - filled);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failIo("read", path);
        if (got == 0) break;  // shrank while being read
        filled += static_cast<std::size_t>(got);
    }
    text.resize(filled);
    return text;
}

Result<void> writeAll(int fd, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0)
            return fail(isOutOfRoom() ? ErrorCode::NoRoom : ErrorCode::Io, errnoText());
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

Result<void> writeAll(int fd, std::string_view text) {
    return writeAll(fd, std::as_bytes(std::span(text.data(), text.size())));
}

Result<void> writeNewFileDurably(const std::filesystem::path& path,
                                 std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return writeNewFileByParts(path, {&text, 1});
}

Result<void> writeNewFileByParts(const std::filesystem::path& path,
                                 std::span<const std::string_view> parts) {
    UniqueFd fd(uninterrupted([&] {
        return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    }));
    if (!fd.valid()) return failIo("create", path);
    return writeSyncClose(std::move(fd), parts, path);
}

Result<void> replaceFileDurably(const std::filesystem::path& path, std::string_view text,
                                unsigned mode) {
    return replaceFileByParts(path, {&text, 1}, mode);
}

Result<void> replaceFileByParts(const std::filesystem::path& path,
                                std::span<const std::string_view> parts, unsigned mode) {
    // The name is unique to process and thread, so that two writers cannot tear each other's file.
    const std::filesystem::path temporary =
        path.string() + fmt::format(".tmp-{}-{}", ::getpid(), ::gettid());
    UniqueFd fd(uninterrupted([&] {
        return ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                      mode);
    }));
    if (!fd.valid()) return failIo("create", temporary);
    auto written = writeSyncClose(std::move(fd), parts, temporary);
    if (!written || uninterrupted([&] { return ::rename(temporary.c_str(), path.c_str()); }) != 0) {
        auto error = written ? failIo("replace", path) : fail(written.error());
        ::unlink(temporary.c_str());
        return error;
    }
    return syncFolder(path.parent_path().empty() ? std::filesystem::path(".") : path.parent_path());
}

Result<void> syncFolder(const std::filesystem::path& folder) {
    const UniqueFd fd(
        uninterrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
    if (!fd.valid()) return failIo("open", folder);
    if (uninterrupted([&] { return ::fsync(fd.get()); }) != 0) return failIo("sync", folder);
    return {};
}

void raiseOpenFileLimit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace lockstep
