// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/launch/doctor/faults/examination.h"
#include "core/launch/doctor/faults/host_finding.h"

namespace lockstep::launch {

/// What is wrong, by what is known so far: what was not examined yet is not found. One cause is one
/// finding, on the host that it is to be mended on. Errors first, then in order of hosts and
/// checks.
[[nodiscard]] std::vector<HostFinding> findFaults(const Examination& all);

}  // namespace lockstep::launch
