// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/config/keys/key_codec.h"

namespace lockstep::config {

/// The options of one layer of model.layers; `help.key` is "model.layers[].NAME".
[[nodiscard]] const std::vector<Key<LayerSpec>>& layerKeys();

/// model.layers as a whole: read of a dense stack, written of any model. Without name, unit and
/// help.
[[nodiscard]] Key<JobSpec> layersKey();

}  // namespace lockstep::config
