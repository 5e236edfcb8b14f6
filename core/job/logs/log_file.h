// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/file.h"

namespace lockstep::job {

/// A file that is read piece by piece, mostly forwards; it may grow meanwhile. Opened with the
/// first look into it. One thread.
class LogFile {
public:
    explicit LogFile(std::filesystem::path path) : path_(std::move(path)) {}

    /// Bytes in it now; 0 where it cannot be opened.
    [[nodiscard]] std::uint64_t size();
    /// At most `count` bytes from `offset` on, fewer where the file ends or cannot be read. Until
    /// the next call.
    [[nodiscard]] std::string_view at(std::uint64_t offset, std::size_t count);
    /// The line that begins at `offset`, without its end. Until the next call.
    [[nodiscard]] std::string_view lineAt(std::uint64_t offset);

private:
    [[nodiscard]] bool isOpen();
    void readAt(std::uint64_t offset, std::size_t count);

    std::filesystem::path path_;
    UniqueFd fd_;
    std::string buffer_;
    std::uint64_t begin_ = 0;  ///< Of the buffer in the file.
};

}  // namespace lockstep::job
