// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/wire/messages/member.pb.h"
#include "core/wire/messages/monitor.pb.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::wire {

/// Version of the messages. Peers of another version are refused: a job runs one build.
inline constexpr std::uint32_t kProtocol = 1;
inline constexpr std::size_t kMaxRecordBytes = 256 << 10;
inline constexpr std::size_t kMaxMessageBytes = 512 << 10;

/// Reads a message: Corrupt when it does not parse or is above its limit (kMaxRecordBytes for a
/// Record, kMaxMessageBytes for the others), BadInput when it is of another protocol version.
/// For ToCoordinator, FromCoordinator, FromMonitor and Record.
template <typename Message>
[[nodiscard]] Result<Message> decode(std::string_view bytes);

/// Memory for messages that are read and forgotten: none of their fields is allocated by itself.
class Scratch {
public:
    Scratch() : arena_(options()) {}
    [[nodiscard]] google::protobuf::Arena& arena() { return arena_; }

private:
    [[nodiscard]] google::protobuf::ArenaOptions options() {
        google::protobuf::ArenaOptions options;
        options.initial_block = block_.data();
        options.initial_block_size = block_.size();
        return options;
    }

    alignas(std::max_align_t) std::array<char, 4096> block_;
    google::protobuf::Arena arena_;
};

/// The same in `scratch`, which the message must not outlive. For ToCoordinator and Record.
template <typename Message>
[[nodiscard]] Result<const Message*> decode(std::string_view bytes, Scratch& scratch);

/// The bytes of a message with its protocol version filled in. For the same four. A string that
/// may not be UTF-8 must go through validUtf8 first: no reader would take it.
/// BadInput when the message is above its limit.
template <typename Message>
[[nodiscard]] Result<std::string> encode(Message message);

/// `text` with every byte that is not part of valid UTF-8 replaced by '?'.
[[nodiscard]] std::string validUtf8(std::string_view text);

}  // namespace lockstep::wire
