// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/train/replica/program_place.h"

namespace lockstep::train {

/// The GPU that evaluator.device gives to the evaluator of this number on a host with so many:
/// "gpu" counts from the last one, which training takes last, and "gpu:N" is that one. BadInput:
/// there is none of this number.
[[nodiscard]] Result<int> gpuOfEvaluator(const std::string& device, std::uint32_t evaluator,
                                         std::size_t gpus);

/// What an evaluator computes on. Unavailable where a GPU is wanted and cannot be used.
[[nodiscard]] Result<ProgramPlace> placeOfEvaluator(const config::JobSpec& job,
                                                    std::uint32_t evaluator);

}  // namespace lockstep::train
