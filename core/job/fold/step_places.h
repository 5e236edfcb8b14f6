// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/job/fold/session.h"
#include "core/telemetry/step_layout.h"

namespace lockstep::job {

using PlacedStep = telemetry::PlacedStep;

/// Calls `use` with each of the steps, in order, where it belongs on the coordinator's clock: as an
/// exported timeline has it, but for what was measured of the clocks only later.
void placeSteps(const StepColumns& columns, const std::function<void(const PlacedStep&)>& use);

}  // namespace lockstep::job
