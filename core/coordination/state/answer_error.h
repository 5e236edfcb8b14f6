// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep::coordination {

// How the answer to a request tells an error: its first word is the kind, a sentence follows.
inline constexpr std::string_view kTimeoutWord = "TIMEOUT";
inline constexpr std::string_view kAbortedWord = "ABORTED";

/// The text of an error that is no timeout and no end: of a store that refuses, of checkpoints.
[[nodiscard]] std::string fetchErrorText(const Error& error);

/// What such a text means to whoever asked; PeerLost where the request was aborted.
[[nodiscard]] Error answerError(const std::string& text);

}  // namespace lockstep::coordination
