// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/config/cluster/cluster_facts.h"
#include "core/config/cluster/variable_reader.h"

namespace lockstep::config {

/// JAX's rule for a port that all processes can work out alone: 61440 to 65535, above the ports
/// that systems hand out by themselves.
[[nodiscard]] int portOf(std::int64_t jobNumber);

/// Process 0's address from its host and the port of the rule, or JAX_COORDINATOR_PORT, which is
/// then part of the origin.
[[nodiscard]] Said<Address> coordinatorAt(VariableReader& reader, std::string host, int port,
                                          std::string_view origin);

/// One accelerator per process, JAX's rule for launchers that number the processes of a host: the
/// device of that number, or device 0 where the launcher lets the process see just one.
[[nodiscard]] Said<std::vector<int>> deviceOfLocalProcess(const Environment& environment,
                                                          const Said<int>& localProcessId);

/// The text as part of a file name: other characters than letters, digits, "-", "_" and "." become
/// "-"; at most 100 characters.
[[nodiscard]] std::string fileNamePart(std::string_view text);

}  // namespace lockstep::config
