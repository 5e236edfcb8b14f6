// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/keys/key_codec.h"

namespace lockstep::config {

/// launch.command: the user's own program and its arguments.
[[nodiscard]] Key<JobSpec> commandKey();
/// launch.environment: "NAME=value" texts for that program.
[[nodiscard]] Key<JobSpec> environmentKey();

}  // namespace lockstep::config
