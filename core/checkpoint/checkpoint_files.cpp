// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/checkpoint_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/hash.h"
#include "core/base/try.h"
#include "core/base/uninterrupted.h"

namespace lockstep::checkpoint {

namespace {

tl::unexpected<Error> failReading(const std::string& name) {
    const bool isGone = errno == ENOENT || errno == ELOOP || errno == ENOTDIR;
    return fail(isGone ? ErrorCode::Corrupt : ErrorCode::Io,
                fmt::format("cannot read {}: {}", name, errnoText()));
}

Result<std::uint64_t> sizeOf(int fd, const std::string& name) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) return failReading(name);
    return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

Result<UniqueFd> openFileOf(int folder, const std::string& name) {
    constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    UniqueFd within;
    std::string file = name;
    if (const auto slash = name.find('/'); slash != std::string::npos) {
        within.reset(uninterrupted(
            [&] { return ::openat(folder, name.substr(0, slash).c_str(), kFlags | O_DIRECTORY); }));
        if (!within.valid()) return failReading(name);
        file = name.substr(slash + 1);
    }
    UniqueFd fd(uninterrupted(
        [&] { return ::openat(within.valid() ? within.get() : folder, file.c_str(), kFlags); }));
    struct stat status {};
    if (!fd.valid() || ::fstat(fd.get(), &status) != 0) return failReading(name);
    if (!S_ISREG(status.st_mode))
        return fail(ErrorCode::Corrupt, fmt::format("{} is not a regular file", name));
    return fd;
}

Result<std::string> readAt(int fd, const std::string& name, std::uint64_t offset,
                           std::uint64_t length) {
    std::string text(length, '\0');
    std::size_t filled = 0;
    while (filled < text.size()) {
        const ssize_t got = ::pread(fd, text.data() + filled, text.size() - filled,
                                    static_cast<off_t>(offset + filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failReading(name);
        if (got == 0) return fail(ErrorCode::Corrupt, fmt::format("{} shrank while read", name));
        filled += static_cast<std::size_t>(got);
    }
    return text;
}

Result<std::string> readWhole(int folder, const std::string& name) {
    const auto fd = TRY(openFileOf(folder, name));
    const std::uint64_t size = TRY(sizeOf(fd.get(), name));
    if (size > kLargestManifest)
        return fail(ErrorCode::Corrupt, fmt::format("{} has {} bytes, too many", name, size));
    return readAt(fd.get(), name, 0, size);
}

Result<UniqueFd> openListed(int folder, const std::string& name, const Manifest& manifest) {
    const auto record = manifest.files.find(name);
    if (record == manifest.files.end())
        return fail(ErrorCode::Corrupt, fmt::format("the manifest does not list {}", name));
    auto fd = TRY(openFileOf(folder, name));
    const std::uint64_t size = TRY(sizeOf(fd.get(), name));
    if (size != record->second.bytes)
        return fail(ErrorCode::Corrupt, fmt::format("{} has {} bytes; its manifest says {}", name,
                                                    size, record->second.bytes));
    return fd;
}

Result<std::string> readListed(int folder, const std::string& name, const Manifest& manifest) {
    const auto fd = TRY(openListed(folder, name, manifest));
    const FileRecord& record = manifest.files.at(name);
    auto text = readAt(fd.get(), name, 0, record.bytes);
    if (text && contentHash(*text) != record.hash)
        return fail(ErrorCode::Corrupt, fmt::format("{} does not match its checksum", name));
    return text;
}

}  // namespace lockstep::checkpoint
