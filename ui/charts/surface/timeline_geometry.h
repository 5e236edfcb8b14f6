// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lockstep::ui {

// Distances that TimelineChart, its painting and its gestures share, in pixels; those of its axis
// are the ones of the heartbeats, whose place it takes.
inline constexpr int kStepRow = 18;
inline constexpr int kLoadLane = 24;  ///< Lines need more height than spans do.

inline constexpr double kNanoseconds = 1e9;  ///< Of a second.

}  // namespace lockstep::ui
