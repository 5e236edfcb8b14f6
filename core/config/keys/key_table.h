// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/config/keys/key_codec.h"

namespace lockstep::config {

/// Every key of the job file, in the order of a complete file; `help.key` is the full name. This
/// table (with layerKeys() for what is inside a layer) is the one place that knows a key: reading,
/// writing, help and did-you-mean follow it.
[[nodiscard]] const std::vector<Key<JobSpec>>& jobKeys();

/// What a file that writes nothing would mean: one local process, no data set, no layers.
[[nodiscard]] JobSpec defaultSpec();

/// The sections, in the order of a complete file: "job", "cluster", …
[[nodiscard]] const std::vector<std::string>& sectionNames();

}  // namespace lockstep::config
