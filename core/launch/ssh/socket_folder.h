// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <utility>

#include "core/base/result.h"

namespace lockstep::launch {

/// A folder that only this user can open, with a path short enough for sockets in it; removed
/// with the object.
class SocketFolder {
public:
    [[nodiscard]] static Result<SocketFolder> make();
    ~SocketFolder();
    SocketFolder(SocketFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    SocketFolder& operator=(SocketFolder&&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    explicit SocketFolder(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_;
};

}  // namespace lockstep::launch
