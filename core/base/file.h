// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep {

/// A file descriptor that closes itself.
class UniqueFd {
public:
    UniqueFd() = default;
    explicit UniqueFd(int fd) : fd_(fd) {}
    UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
    UniqueFd& operator=(UniqueFd&& other) noexcept {
        if (this != &other) reset(other.release());
        return *this;
    }
    ~UniqueFd() { reset(); }

    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] bool valid() const { return fd_ >= 0; }
    [[nodiscard]] int release() {
        const int fd = fd_;
        fd_ = -1;
        return fd;
    }
    void reset(int fd = -1);

private:
    int fd_ = -1;
};

/// "No space left on device" and its kind, for the current errno.
[[nodiscard]] std::string errnoText();

/// The whole file. Refuses what is not a regular file (NotFound, BadInput) and what is larger than
/// `limitBytes` (BadInput) before reading a byte.
[[nodiscard]] Result<std::string> readFile(const std::filesystem::path& path,
                                           std::uint64_t limitBytes);

/// Writes all bytes to `fd`, going on after short writes and interruptions.
[[nodiscard]] Result<void> writeAll(int fd, std::span<const std::byte> bytes);
[[nodiscard]] Result<void> writeAll(int fd, std::string_view text);

/// Creates `path` (which must not exist), writes, and fsyncs it.
[[nodiscard]] Result<void> writeNewFileDurably(const std::filesystem::path& path,
                                               std::span<const std::byte> bytes);

/// Replaces `path` so that a reader sees the old or the new bytes, and a power cut leaves one of
/// them: temporary file beside it, fsync, rename, fsync of the folder. `mode` as for open(2).
[[nodiscard]] Result<void> replaceFileDurably(const std::filesystem::path& path,
                                              std::string_view text, unsigned mode = 0644);

/// fsync of a folder, after files in it were created or renamed.
[[nodiscard]] Result<void> syncFolder(const std::filesystem::path& folder);

/// Lets this process have as many files and connections open as the system allows it: the usual
/// 1024 are a default for programs that use select(2). Best effort; children inherit it.
void raiseOpenFileLimit();

}  // namespace lockstep
