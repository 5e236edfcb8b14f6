// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/launch/host/host_link.h"
#include "core/wire/frame_queue.h"

namespace lockstep::launch {

/// Frames of ToHost and FromHost over two descriptors, which others own: what links have in common.
/// One thread.
class LinkFrames {
public:
    /// Both must be O_NONBLOCK.
    LinkFrames(int input, int output) : input_(input), output_(output) {}

    /// PeerLost when the service has ended the connection; Timeout: it does not even take what was
    /// sent before. The rest of a frame that was begun is sent by later calls.
    [[nodiscard]] Result<void> send(const wire::ToHost& message, Nanos timeout);
    [[nodiscard]] Result<std::optional<wire::FromHost>> receive(Nanos timeout);

private:
    int input_;   ///< Of the service: written to.
    int output_;  ///< Of the service: read from.
    wire::FrameReader reader_;
    wire::FrameWriter writer_;
};

}  // namespace lockstep::launch
