// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/model/description/description.h"

namespace lockstep::model {

// A description as TOML values, to be written behind "layers = " and so on. Reading them gives the
// same description. Empty where there is nothing of the kind.

[[nodiscard]] std::string layersToml(const Description& description);
[[nodiscard]] std::string blocksToml(const Description& description);
[[nodiscard]] std::string defaultsToml(const Description& description);

}  // namespace lockstep::model
