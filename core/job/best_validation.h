// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/job/fold/session.h"

namespace lockstep::job {

/// Of how many epochs at most a curve has values.
inline constexpr std::size_t kMostCurveValues = 32;

struct Validation {
    Score best;
    /// Epoch by epoch, what is no number left out; of many epochs kMostCurveValues at equal
    /// distances in steps, with the first and the last.
    std::vector<double> curve;
};

/// What the validation data gave after each epoch, as the run's event files tell it: they have a
/// line an epoch, where the journal has every step. Of the figures that they have: accuracy, else
/// the first of `metrics`, else the loss. What a resume or restart trained anew counts as it was
/// the last time. nullopt: no epoch was validated, or the files are not here.
[[nodiscard]] std::optional<Validation> validationIn(const std::filesystem::path& events,
                                                     const std::vector<std::string>& metrics);

}  // namespace lockstep::job
