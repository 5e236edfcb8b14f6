// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/text/toml_path.h"

namespace lockstep::config {

/// The text of a layer, as TOML writes it, with the names in it replaced by such as the list of the
/// layer at `layer` has not: "conv1" becomes "conv2", "stem" becomes "stem_2". What takes one of
/// these by its name within the text takes the new one.
[[nodiscard]] Result<std::string> copyWithFreeNames(const std::string& item, const TomlValue& root,
                                                    const TomlPath& layer);

}  // namespace lockstep::config
