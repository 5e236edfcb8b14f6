// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/description/layer_table.h"

namespace lockstep::model {

/// The types and their options for a terminal: what each takes, its default, what it does.
[[nodiscard]] std::string layerReferenceText(const std::vector<LayerType>& types);
/// The same as a page of Markdown.
[[nodiscard]] std::string layerReferencePage(const std::vector<LayerType>& types);

}  // namespace lockstep::model
