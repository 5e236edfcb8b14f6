// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/config/job/finding.h"
#include "core/config/job/job_spec.h"
#include "core/config/keys/key_places.h"

namespace lockstep::config {

/// The rules that concern several keys, or more than a key's type and range. A rule is silent when
/// a value that it looks at was already found wrong. `place` of the findings is left empty.
[[nodiscard]] std::vector<Finding> lint(const JobSpec& spec, const KeyPlaces& places);

}  // namespace lockstep::config
