// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/distribution/distribution.h"

namespace lockstep::distribution {

/// Which devices of which process a distribution trains on.
struct DevicePlan {
    std::string type;  ///< "cpu" or "gpu", of all of them.
    /// Of every process, in order of process id: the local numbers of its devices, in order of the
    /// mesh; as many in each process, one at least.
    std::vector<std::vector<int>> localIds{};

    [[nodiscard]] int replicasOfEach() const { return static_cast<int>(localIds.front().size()); }
};

/// BadInput: types are mixed, a process has no device in the mesh, or more than another one has;
/// the sentence names who.
[[nodiscard]] Result<DevicePlan> planDevices(const Distribution& distribution);

}  // namespace lockstep::distribution
