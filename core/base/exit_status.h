// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

namespace lockstep {

// How every program of ours ends, and how a run does (summary.json, `RunEnd`).
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitStopped = 3;

/// What is asked for is wrong or not there: another attempt would end in the same way.
[[nodiscard]] constexpr bool isBadInput(ErrorCode code) {
    return code == ErrorCode::BadInput || code == ErrorCode::NotFound;
}

/// As above; and before anything runs also what cannot be had now (a port, a folder, a device).
/// Once it runs, that is a failure, after which a restart may help.
[[nodiscard]] constexpr bool isRefusal(ErrorCode code) {
    return isBadInput(code) || code == ErrorCode::Unavailable;
}

/// Of a start that does not happen, and of a command.
[[nodiscard]] constexpr int exitStatusOf(ErrorCode code) {
    if (isRefusal(code)) return kExitBadInput;
    return code == ErrorCode::Cancelled ? kExitStopped : kExitFailed;
}

}  // namespace lockstep
