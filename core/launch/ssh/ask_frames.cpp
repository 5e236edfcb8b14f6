// SPDX-License-Identifier: Apache-2.0
#include "core/launch/ssh/ask_frames.h"

#include <array>
#include <cstdlib>
#include <string_view>

#include "core/base/try.h"
#include "core/wire/framed_stream.h"

namespace lockstep::launch {

namespace {

constexpr std::size_t kMaxFrame = 16 << 10;
constexpr std::size_t kFields = 5;

}  // namespace

Result<void> writeAskFrame(int fd, const AskFrame& frame, Nanos timeout) {
    std::string bytes;
    for (const std::string& field : {frame.prompt, frame.promptKind, frame.destination,
                                     std::to_string(frame.ssh), frame.opening})
        bytes += field.substr(0, field.find('\0')) + '\0';
    return wire::writeFrame(fd, bytes, timeout);
}

Result<AskFrame> readAskFrame(int fd, Nanos timeout) {
    const auto bytes = TRY(wire::readFrame(fd, timeout));
    std::array<std::string, kFields> fields;
    std::string_view rest = bytes;
    for (std::string& field : fields) {
        const std::size_t end = rest.find('\0');
        if (end == std::string_view::npos || bytes.size() > kMaxFrame)
            return fail(ErrorCode::Corrupt, "this is not a question of ssh");
        field = std::string(rest.substr(0, end));
        rest.remove_prefix(end + 1);
    }
    return AskFrame{fields[0], fields[1], fields[2], std::atoi(fields[3].c_str()), fields[4]};
}

Result<void> writeAskReply(int fd, bool answered, const std::string& text, Nanos timeout) {
    return wire::writeFrame(fd, (answered ? "y" : "n") + text, timeout);
}

Result<std::optional<std::string>> readAskReply(int fd, Nanos timeout) {
    const auto bytes = TRY(wire::readFrame(fd, timeout));
    if (bytes.empty() || bytes.front() != 'y') return std::nullopt;
    return bytes.substr(1);
}

}  // namespace lockstep::launch
