// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/config/keys/key_codec.h"

namespace lockstep::config {

/// Of [training]: how long it takes, and what becomes of a step: its parts and the average of the
/// weights.
[[nodiscard]] std::vector<Key<JobSpec>> lengthKeys();

}  // namespace lockstep::config
