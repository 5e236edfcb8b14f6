// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/job/fold/session.h"

namespace lockstep::job {

/// The best that the validation data gave after an epoch, as the run's event files tell it: they
/// have a line an epoch, where the journal has every step. Of the figures that they have: accuracy,
/// else the first of `metrics`, else the loss. What a resume or restart trained anew counts as it
/// was the last time. nullopt: no epoch was validated, or the files are not here.
[[nodiscard]] std::optional<Score> bestValidationIn(const std::filesystem::path& events,
                                                    const std::vector<std::string>& metrics);

}  // namespace lockstep::job
