// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/data/raw_sets.h"

namespace lockstep::data {

/// How such a file begins.
inline constexpr std::string_view kCacheMagic = "lockstep-data 1\n";

/// A data set as one local file `cache`, mapped: copied there by `read` when the file is not there,
/// is damaged, or holds something else than `source` (a text that changes when the source does).
/// Of processes that start together one copies, the others wait for it. A crash leaves the old file
/// or the new one. BadInput when `cache` cannot be written, or is a file that is not such a copy.
[[nodiscard]] Result<RawSets> cachedInFile(const std::filesystem::path& cache,
                                           const std::string& source,
                                           const std::function<Result<RawSets>()>& read);

}  // namespace lockstep::data
