// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/data/idx_file.h"

namespace lockstep::data {

/// As readIdxImages; what it found in the cache is mapped. Unpacking takes longer than the rest of
/// a start, so what a gzipped file held is kept in `cacheFolder` (empty: nowhere) under the sum of
/// the packed bytes, beside its own sum: a changed file has another name, a damaged copy is made
/// anew. Any number of processes may do it at once. A cache that cannot be written costs the next
/// start time, nothing else.
[[nodiscard]] Result<IdxImages> readIdxImagesCached(const std::filesystem::path& path,
                                                    const std::filesystem::path& cacheFolder);

}  // namespace lockstep::data
