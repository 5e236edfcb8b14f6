// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace lockstep::collective {

/// What NCCL's own watch over a job (RAS, since 2.24) says: which ranks of which communicator do
/// not answer or are behind. Asked by text over TCP, at NCCL_RAS_ADDR or localhost:28028, where
/// every process with a communicator listens or is relayed from. At most 64 KiB. Unavailable:
/// nobody listens. Timeout: the answer did not come within `timeout`.
[[nodiscard]] Result<std::string> askNcclRas(Nanos timeout);
/// The same at a given "host:port".
[[nodiscard]] Result<std::string> askNcclRas(const std::string& address, Nanos timeout);

/// The lines of the answer that say what is wrong, at most `most`: those that name ranks that are
/// dead, missing, unresponsive or behind, and errors.
[[nodiscard]] std::string rasFindings(const std::string& text, int most);

}  // namespace lockstep::collective
