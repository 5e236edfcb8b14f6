// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/handover/network_facts.h"
#include "core/train/handover/saved_network.h"

namespace lockstep::job {

/// As train::openSaved(), with remedies for whoever has no terminal before them.
[[nodiscard]] Result<train::SavedNetwork> openNetwork(const NetworkPlace& place,
                                                      const train::Warn& warn);

/// One checkpoint of a run. NotFound where its files are gone, or lie on another host.
[[nodiscard]] Result<train::SavedNetwork> openStep(
    const std::filesystem::path& runDir, std::int64_t step,
    const train::Warn& warn = [](const std::string&) {});

}  // namespace lockstep::job
