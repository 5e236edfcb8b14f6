// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/wire/messages/member.pb.h"

namespace lockstep::coordination {

/// What keeps one process, or several, from running: "is stopped (SIGSTOP or a debugger)"; empty
/// where nothing is known to.
[[nodiscard]] std::string holdWords(wire::Hold hold, bool isOne = true);

/// What comes of it behind what causes it: "is stopped (…), and sent no heartbeat for 10 s".
[[nodiscard]] std::string behindHold(std::string_view holdWords, std::string_view consequence);

/// "process 1 (node-b) has sent no heartbeat for 4.2 s", with why where that is known.
[[nodiscard]] std::string silenceSentence(std::string_view names, bool isOne,
                                          std::string_view holdWords, std::string_view lasted);

/// What may help one that is lost by its silence.
[[nodiscard]] std::string silenceRemedy(wire::Hold hold);

}  // namespace lockstep::coordination
