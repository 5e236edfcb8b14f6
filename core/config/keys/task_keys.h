// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/config/keys/key_codec.h"

namespace lockstep::config {

/// The keys of the loss and the metrics.
[[nodiscard]] std::vector<Key<JobSpec>> taskKeys();

}  // namespace lockstep::config
