// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/text/toml_path.h"

namespace lockstep::config {

/// Gives the layer, residual or use of a block at `layer` another name, and with it what names it:
/// `input` and `inputs` of its list, `weights_of` anywhere, by full names that begin or end with
/// the layer's ("h.0.attn" for a layer of a block that h uses). Nothing else changes. Errors are
/// withOption()'s.
[[nodiscard]] Result<std::string> withLayerRenamed(const std::string& text, const TomlPath& layer,
                                                   const std::string& name);

}  // namespace lockstep::config
