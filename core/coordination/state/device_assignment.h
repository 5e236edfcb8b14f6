// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/wire/messages/member.pb.h"

namespace lockstep::coordination {

/// What a process uses of what it registered.
using UsedDevices = std::vector<wire::Device>;

/// Which GPUs every process uses, from what all have registered, in order of process id. A GPU is
/// known by its uuid, so processes that see the same machine in different ways (containers,
/// CUDA_VISIBLE_DEVICES, agents of their own) do not take the same one: whoever did not choose gets
/// those that fewest use, the lowest numbers first and whoever sees fewest before, and shares one
/// only where there are not enough. CPUs are everybody's own. Where replicas are trained (a claim
/// of replicas) and one process has no GPU, nobody uses any. Pure; the same in every order of
/// registering.
[[nodiscard]] std::vector<UsedDevices> assignDevices(
    const std::vector<const wire::Register*>& processes);

/// The name of one of a Welcome's devices: of a member's CPUs, which are alike, only the first has
/// it with it, so that a Welcome of many replicas stays small.
[[nodiscard]] const std::string& nameIn(const wire::Member& member, const wire::Device& device);

}  // namespace lockstep::coordination
