// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/keys/key_codec.h"

namespace lockstep::config {

/// Whether [model] is written as a dense stack: model.layers alone, of tables with no option but
/// type, units and activation. What is wrong with one of these values does not change that.
[[nodiscard]] bool isWrittenAsStack(const TomlValue& section);

// model.blocks and model.defaults, without name and help. They are read with model.layers.

[[nodiscard]] Key<JobSpec> blocksKey();
[[nodiscard]] Key<JobSpec> defaultsKey();

}  // namespace lockstep::config
