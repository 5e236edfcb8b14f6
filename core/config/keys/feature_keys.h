// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/keys/key_codec.h"

namespace lockstep::config {

/// data.features: columns and how each reaches the network, a word or a table of options.
[[nodiscard]] Key<JobSpec> featuresKey();

}  // namespace lockstep::config
