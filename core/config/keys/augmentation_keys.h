// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/config/keys/key_codec.h"

namespace lockstep::config {

/// data.augment: an array of tables, one for each change.
[[nodiscard]] Key<JobSpec> augmentKey();
/// What the tables' options mean, "data.augment[].factor", for help. Their ranges differ from type
/// to type.
[[nodiscard]] const std::vector<KeyHelp>& augmentationOptionHelp();
/// data.normalize.mean and data.normalize.std.
[[nodiscard]] std::vector<Key<JobSpec>> normalizeKeys();

}  // namespace lockstep::config
