// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/train/checkpoints/start_point.h"

namespace lockstep::train {

/// For a resume whose epochs (from one evaluation to the next) are of another length than those of
/// the run so far: what the one in progress has added up belongs to none of the new ones and is
/// dropped, and numbers of epochs become those of the new ones. Gives a sentence that says so;
/// empty where nothing is changed, or the checkpoint does not tell.
[[nodiscard]] std::string adoptInterval(StartPoint& start, std::int64_t stepsPerEpoch);

}  // namespace lockstep::train
