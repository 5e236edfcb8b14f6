// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace lockstep::launch {

// How the program that asks and the one that answers find each other: by its environment.
inline constexpr const char* kAskSocketVariable = "LOCKSTEP_ASKPASS";
inline constexpr const char* kAskHostVariable = "LOCKSTEP_ASKPASS_FOR";
inline constexpr const char* kAskOpeningVariable = "LOCKSTEP_ASKPASS_OPENING";

/// What a program that ssh has started to ask hands on.
struct AskFrame {
    std::string prompt;
    std::string promptKind;   ///< SSH_ASKPASS_PROMPT.
    std::string destination;  ///< LOCKSTEP_ASKPASS_FOR.
    int ssh = 0;              ///< Process id of the ssh that asks.
    std::string opening{};    ///< LOCKSTEP_ASKPASS_OPENING.
};

/// Frames of framed_stream.h over the socket `fd`. Corrupt when it is not such a frame.
[[nodiscard]] Result<void> writeAskFrame(int fd, const AskFrame& frame, Nanos timeout);
[[nodiscard]] Result<AskFrame> readAskFrame(int fd, Nanos timeout);

/// The reply: nullopt is a decline.
[[nodiscard]] Result<void> writeAskReply(int fd, bool answered, const std::string& text,
                                         Nanos timeout);
[[nodiscard]] Result<std::optional<std::string>> readAskReply(int fd, Nanos timeout);

}  // namespace lockstep::launch
