// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/wire/messages/host.pb.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::wire {

/// Messages over pipes (standard input and output of agents and workers): a little-endian u32
/// length, then the bytes. No more bytes are read than the frame has.
inline constexpr std::size_t kMaxFrameBytes = 4 << 20;

/// Writes one frame within `timeout`. BadInput above kMaxFrameBytes, Timeout, PeerLost when the
/// reader has closed (SIGPIPE is ignored by every program, see ignoreSigpipe), Io.
[[nodiscard]] Result<void> writeFrame(int fd, std::string_view bytes, Nanos timeout);

/// Reads one frame within `timeout`. PeerLost when the stream ends before it is whole, Corrupt
/// when it announces more than kMaxFrameBytes, Timeout, Io.
[[nodiscard]] Result<std::string> readFrame(int fd, Nanos timeout);

/// Likewise with a message: AgentConfig, JoinConfig, ToAgent, AgentReady, WorkerConfig,
/// StartTicket, ToHost, FromHost. Corrupt when it does not parse.
template <typename Message>
[[nodiscard]] Result<void> writeMessage(int fd, const Message& message, Nanos timeout);
template <typename Message>
[[nodiscard]] Result<Message> readMessage(int fd, Nanos timeout);

}  // namespace lockstep::wire
