// SPDX-License-Identifier: Apache-2.0
// Why a drill cannot be: the words of whoever refuses it, and of whoever can tell before it is
// asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination::refusals {

inline constexpr std::string_view kNotRegistered = "its processes have not all registered yet";
inline constexpr std::string_view kEnding = "the run is ending";
inline constexpr std::string_view kOwnProgram =
    "the job runs the user's own program: only what Lockstep trains has drills";
inline constexpr std::string_view kNoRestart =
    "nobody would read the checkpoint: the run does not begin again, because launch.max_restarts "
    "is 0 or used up";
inline constexpr std::string_view kGoesOnFromMemory =
    "nobody would read the checkpoint: launch.on_failure is \"regroup\", and the run goes on from "
    "memory";
inline constexpr std::string_view kNothingToCut =
    "it has no connection to cut: replicas of a host share memory, and GPUs have ways of their "
    "own";
inline constexpr std::string_view kLossOfColumns =
    "a network that processes share has a loss in each column";
inline constexpr std::string_view kNoIdentity =
    "nothing would find it: training.identity_every_steps is 0";
inline constexpr std::string_view kWeightsOnGpu =
    "nothing would find it: its weights lie on its GPU";
inline constexpr std::string_view kNeedsSeconds =
    "disk-full needs --seconds: a run whose files never grow again loses its result";

/// Most drills of one start that are measured; each is kept until the end, for its summary.
inline constexpr std::size_t kMostDrills = 1000;
/// Longest drill.
inline constexpr double kMostSeconds = 86400;

[[nodiscard]] std::string underWay(wire::DrillKind kind, std::uint32_t process);
[[nodiscard]] std::string tooMany();
[[nodiscard]] std::string noProcess(std::uint32_t process, std::uint32_t processes);
[[nodiscard]] std::string isSlowAlready(std::uint32_t process);
[[nodiscard]] std::string onlyFirst(wire::DrillKind kind);
[[nodiscard]] std::string hasGone(std::uint32_t process);
[[nodiscard]] std::string tooFewCheckpoints(std::string_view folder, int count);

}  // namespace lockstep::coordination::refusals
