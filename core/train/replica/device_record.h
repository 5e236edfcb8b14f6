// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/telemetry/step_ring.h"
#include "core/tensor/step_engine.h"

namespace lockstep::train {

/// What an engine's figures say of a step (counted from 1) that ended at `endWallTime`.
/// `followsAnother`: its time begins where that of the step before it ended.
[[nodiscard]] telemetry::StepRecord deviceRecord(std::int64_t step,
                                                 const tensor::EngineFigures& figures,
                                                 double endWallTime, bool followsAnother);

}  // namespace lockstep::train
