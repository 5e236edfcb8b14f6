// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lockstep::launch {

/// The programs of agents that a launcher starts: the configuration comes as one frame on `input`,
/// the answer goes as one to `output`; the end of `input` ends a tied job. They return the run's
/// exit status.

/// Of the agent that hosts the run: an AgentConfig.
[[nodiscard]] int runHostingAgent(int input, int output);
/// Of an agent on a host that does not: a JoinConfig, with the ticket.
[[nodiscard]] int runMemberAgent(int input, int output);

}  // namespace lockstep::launch
