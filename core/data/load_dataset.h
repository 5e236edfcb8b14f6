// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/config/job_spec.h"
#include "core/data/dataset.h"

namespace lockstep::data {

/// `$XDG_CACHE_HOME/lockstep`, else `~/.cache/lockstep`; empty (no cache) when neither is known.
[[nodiscard]] std::filesystem::path defaultCacheFolder();

/// The dataset a job names, held as `spec.cache` says. `spec.directory` and `spec.cache` are
/// relative to `jobFolder`; `cacheFolder` keeps what is generated (`digits`) or unpacked
/// (gzipped images), an empty or unwritable one only costs time. Takes up to seconds. BadInput for
/// unknown names, missing or damaged files and impossible splits.
[[nodiscard]] Result<Dataset> loadDataset(
    const config::DataSpec& spec, const std::filesystem::path& jobFolder,
    const std::filesystem::path& cacheFolder = defaultCacheFolder());

}  // namespace lockstep::data
