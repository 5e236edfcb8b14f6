// SPDX-License-Identifier: Apache-2.0
// What is known of a drill before it is done, and how what became of it is told. Pure; for the
// terminal and for the window.
#pragma once

#include <string>
#include <string_view>

#include "core/job/fold/drill_view.h"
#include "core/job/fold/session.h"

namespace lockstep::job {

/// What a drill is, for who has not heard of it.
inline constexpr std::string_view kDrillPurpose =
    "A drill makes a fault on purpose in the running job, and measures what becomes of it.";

/// What the fault is and what a run does about it, in one sentence, whomever it is done to.
[[nodiscard]] std::string consequenceOf(DrillKind kind);

/// Why the run as it stands would refuse it, in the run's own words; empty: nothing that is known
/// here speaks against it. What only its processes know they say when they are asked.
[[nodiscard]] std::string refusalOf(const DrillOrder& order, const RunView& view);

/// What the job file leaves to do about it: the policies that matter for a fault of this kind.
[[nodiscard]] std::string policyOf(const DrillOrder& order, const RunView& view);

/// Null: the run's records do not tell of it.
[[nodiscard]] const DrillView* findDrill(const RunView& view, std::string_view id);
/// The fault was seen: the drill counts.
[[nodiscard]] bool isLanded(const DrillView& drill);
/// Nothing more comes of it.
[[nodiscard]] bool isOver(const DrillView& drill);

/// "landed after 0.1 s, at step 812: process 1: it kills itself …"; empty before.
[[nodiscard]] std::string landedLine(const DrillView& drill);
/// "detected after 0.0 s: … (the right process, named for what it is)"; empty before.
[[nodiscard]] std::string detectedLine(const DrillView& drill);
/// "recovered after 3.4 s: trains on at step 813; 12 steps lost", or how it ended without that;
/// empty before. `isRunOver`: its records tell nothing more.
[[nodiscard]] std::string outcomeLine(const DrillView& drill, bool isRunOver = false);

}  // namespace lockstep::job
