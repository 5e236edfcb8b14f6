// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination {

/// What a replica does, as a sentence says it: "backward".
[[nodiscard]] std::string_view phaseName(wire::Phase phase);
/// Checkpoints and evaluations: all replicas make them together, between two steps.
[[nodiscard]] bool isBetweenSteps(wire::Phase phase);
/// Where a replica is that has completed `steps`: "at step 58", "after step 57".
[[nodiscard]] std::string stepWords(wire::Phase phase, std::uint64_t steps);

}  // namespace lockstep::coordination
