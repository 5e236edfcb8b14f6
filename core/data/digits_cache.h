// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/data/dataset.h"

namespace lockstep::data {

/// Sets as they come from a source, before validation samples are split off. All have the same
/// image size and channels.
struct RawSets {
    Split train;
    Split test;          ///< count 0 where the validation set is the test set.
    Split validation{};  ///< count 0 where the source has none of its own.
};

/// XXH3-128 of sizes, pixels and labels of the splits in order, 32 hexadecimal digits.
[[nodiscard]] std::string fingerprintOf(const std::vector<const Split*>& splits);

/// The built-in digits: read from `cacheFolder/digits-VERSION` when they are there and whole, else
/// generated and kept there for the next time. A folder that cannot be written is no error.
[[nodiscard]] RawSets cachedDigits(const std::filesystem::path& cacheFolder);

}  // namespace lockstep::data
