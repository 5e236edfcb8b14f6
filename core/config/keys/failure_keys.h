// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/config/keys/key_codec.h"

namespace lockstep::config {

/// The keys of [launch] that say what becomes of a job that is not well.
[[nodiscard]] std::vector<Key<JobSpec>> failureKeys();

}  // namespace lockstep::config
