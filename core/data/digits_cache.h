// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/data/raw_sets.h"

namespace lockstep::data {

/// The built-in digits: read from `cacheFolder/digits-VERSION` when they are there and whole, else
/// generated and kept there for the next time. A folder that cannot be written is no error.
[[nodiscard]] RawSets cachedDigits(const std::filesystem::path& cacheFolder);

}  // namespace lockstep::data
