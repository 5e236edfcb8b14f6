// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/ssh/ask_server.h"

namespace lockstep::launch {

/// Asks on the controlling terminal, in a sentence, without echo for what is secret.
[[nodiscard]] std::optional<AskAnswer> askOnTerminal(const AskQuestion& question,
                                                     const std::stop_token& withdrawn);

/// The asker of a program in a terminal; null where there is no terminal: links then say what
/// could not be asked, and the command that helps.
[[nodiscard]] std::shared_ptr<AskServer> terminalAsker();

}  // namespace lockstep::launch
