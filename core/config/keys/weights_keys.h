// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/config/keys/key_codec.h"

namespace lockstep::config {

/// model.initial_weights, without name and help: a file's path, or a table of file, rename and
/// except.
[[nodiscard]] Key<JobSpec> initialWeightsKey();

/// Its value as a job file has it: "a.safetensors", or a table.
[[nodiscard]] std::string initialWeightsToml(const InitialWeightsSpec& weights);

}  // namespace lockstep::config
