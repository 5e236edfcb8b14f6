// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/wire/framed_stream.h"

namespace lockstep::wire {

/// Puts frames together from a descriptor that must not be waited for (O_NONBLOCK). One thread.
class FrameReader {
public:
    /// Takes what is there, up to a limit a call. False at the end of the stream. Corrupt when a
    /// frame announces more than kMaxFrameBytes, Io.
    [[nodiscard]] Result<bool> fill(int fd);
    /// The next whole frame.
    [[nodiscard]] std::optional<std::string> next();
    [[nodiscard]] bool hasWhole() const;

private:
    std::string bytes_;
    std::size_t position_ = 0;  ///< Of the first byte that `next` has not taken.
};

/// Frames on their way to a descriptor that must not be waited for (O_NONBLOCK). One thread.
class FrameWriter {
public:
    /// Queues one frame. BadInput above kMaxFrameBytes. The caller keeps `pending` within limits.
    [[nodiscard]] Result<void> push(std::string_view bytes);
    /// Writes what the descriptor takes now. PeerLost when its reader has gone, Io.
    [[nodiscard]] Result<void> flush(int fd);
    [[nodiscard]] std::size_t pending() const { return bytes_.size() - position_; }

private:
    std::string bytes_;
    std::size_t position_ = 0;
};

}  // namespace lockstep::wire
