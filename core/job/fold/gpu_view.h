// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::job {

/// The GPU that a replica computes on, as its driver sees it. What it does not tell is 0 or empty.
struct GpuView {
    std::string name;
    float computePercent = 0;
    std::uint64_t usedBytes = 0;  ///< By all processes.
    std::uint64_t totalBytes = 0;
    float celsius = 0;
    float watts = 0;
    std::string slowdown;         ///< Why its clocks are low; empty when they are not.
    std::uint64_t eccErrors = 0;  ///< Uncorrected, since the driver was loaded.
};

}  // namespace lockstep::job
