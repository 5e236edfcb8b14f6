// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/config/cluster/cluster_facts.h"

namespace lockstep::coordination {

/// Where process 0 hosts the coordinator, and how everybody reaches it.
struct MeetingPlace {
    std::string bindHost;        ///< Where it listens; * for all of this machine's addresses.
    int bindPort = 0;            ///< 0: the system chooses one.
    std::string ownAddress;      ///< Process 0's machine, numeric, as the others reach it.
    std::string advertisedHost;  ///< What the others are told.
    /// The port that the others are told; 0: the one that it listens at. Another one where the bind
    /// address has a port of its own: something between forwards the coordinator's to it.
    int advertisedPort = 0;
    bool onOneHost = false;  ///< All processes are known to be on one machine.
};

/// For process 0. Listens on the loopback interface alone where that is enough. Unavailable when
/// the coordinator's host is not known (neither to the resolver nor to Slurm).
[[nodiscard]] Result<MeetingPlace> meetingPlaceOf(const config::ClusterFacts& cluster);

/// Whether all processes are known to be on one machine: by its one name, or because process 0 is
/// reached over the loopback interface.
[[nodiscard]] bool onOneHost(const config::ClusterFacts& cluster);

}  // namespace lockstep::coordination
