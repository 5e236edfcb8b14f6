// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lockstep::ui {

// Distances that the lanes of HeartbeatChart and their painting share, in pixels.
inline constexpr int kAxis = 22;
inline constexpr int kRight = 12;
inline constexpr int kNameGap = 12;

inline constexpr double kBeatInterval = 1;  ///< Seconds between two beats.

// How much time can be shown, in seconds.
inline constexpr double kLeastSpan = 2;
inline constexpr double kLargestSpan = 7200;

}  // namespace lockstep::ui
