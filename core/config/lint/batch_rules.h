// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/config/job/finding.h"
#include "core/config/job/job_spec.h"

namespace lockstep::config {

/// A finding about the global batch, without its place.
struct BatchAdvice {
    Severity severity = Severity::Error;
    std::string message;
    std::string remedy;
};

/// What so many replicas mean for the job's global batch: too small, uneven, or a few samples each.
/// `sharer`: what they are called that share it.
[[nodiscard]] std::optional<BatchAdvice> adviseBatch(const TrainingSpec& training, int replicas,
                                                     std::string_view sharer = "replica");

/// What changes when a job written for `planned` replicas runs on `actual` ones: the samples of
/// each, and which batch and learning rate would keep the training as it was. Nothing when they are
/// the same.
[[nodiscard]] std::optional<BatchAdvice> adviseGrowth(const TrainingSpec& training, int planned,
                                                      int actual);

}  // namespace lockstep::config
