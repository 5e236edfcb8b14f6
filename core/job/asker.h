// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/ssh/ask_server.h"

namespace lockstep::job {

/// What hosts ask of the user before they let Lockstep in, as the window and the terminal see it.
using HostQuestion = launch::AskQuestion;
using HostAnswer = launch::AskAnswer;
using launch::Ask;
using launch::AskServer;

}  // namespace lockstep::job
