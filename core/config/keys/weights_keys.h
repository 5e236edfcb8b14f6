// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/keys/key_codec.h"

namespace lockstep::config {

/// model.initial_weights, without name and help: a file's path, or a table of file, rename and
/// except.
[[nodiscard]] Key<JobSpec> initialWeightsKey();

}  // namespace lockstep::config
