// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lockstep::ui {

// How high the lanes of processes are, in pixels.
inline constexpr int kLane = 26;
inline constexpr int kRoomyLane = 72;  ///< Where they have the page alone.
inline constexpr int kLegibleLane =
    19;                                // a few lanes are never lower, so that gaps keep their words
inline constexpr int kNamedLane = 15;  // a line of small text
inline constexpr int kLowLane = 10;
inline constexpr int kMatrixLane = 7;
inline constexpr int kMostAiry = 4;  // lanes
inline constexpr int kMostLegible = 8;
inline constexpr int kMostNamed = 20;
inline constexpr int kMostLow = 40;
inline constexpr int kLeastNameWidth = 40;

/// The height below which a lane of so many does not go.
[[nodiscard]] constexpr int leastLane(int lanes) {
    if (lanes <= kMostLegible) return kLegibleLane;
    if (lanes <= kMostNamed) return kNamedLane;
    return lanes <= kMostLow ? kLowLane : kMatrixLane;
}

}  // namespace lockstep::ui
