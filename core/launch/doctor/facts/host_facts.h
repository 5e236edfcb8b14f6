// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/wire/messages/doctor.pb.h"

namespace lockstep::launch {

// What facts have room for; where there is more, that is a finding.
inline constexpr int kMostNames = 1024;
inline constexpr int kMostLeftovers = 256;

/// What this host tells of itself, for the doctor. `worker`: the lockstep-worker that would run
/// here; it is asked what GPUs there are, so that no driver is loaded into this process. Takes up
/// to some seconds; call it on a thread that may wait.
[[nodiscard]] wire::HostFacts examineHost(const wire::Examine& what,
                                          const std::filesystem::path& worker);

// The parts of it, each of which can be asked alone.

/// System, memory, limits and the environment's proxies.
void addSystemFacts(wire::HostFacts& facts);
/// Interfaces, and how `names` are reached.
void addNetworkFacts(const wire::Examine& what, wire::HostFacts& facts);
/// Where a run's folder would lie: the nearest folder that exists is tried by writing to it.
[[nodiscard]] wire::FolderFacts examineFolder(const std::filesystem::path& folder);
/// All files of the job's data and a fingerprint of what they hold, gzipped or not.
[[nodiscard]] wire::DataFacts examineData(const wire::Examine& what);
/// The worker's build, and the GPUs with their load.
void addWorkerFacts(const std::filesystem::path& worker, wire::HostFacts& facts);
/// Processes of Lockstep that this user has running here already, agents first.
void addLeftovers(wire::HostFacts& facts);

}  // namespace lockstep::launch
