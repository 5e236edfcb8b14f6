// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/handover/network_facts.h"
#include "core/train/handover/saved_network.h"

namespace lockstep::job {

/// As train::openSaved(), with remedies for whoever has no terminal before them.
[[nodiscard]] Result<train::SavedNetwork> openNetwork(const NetworkPlace& place,
                                                      const train::Warn& warn);

}  // namespace lockstep::job
