// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/data/dataset.h"
#include "core/data/load_watch.h"

namespace lockstep::data {

/// The rows of the CSV files of data.files, prepared as data.features says by what the training
/// rows are. The target's numbers, times data.target_scale, are the answers; the classes of a
/// target that data.features calls categorical. Large tables are packed in `cacheFolder`, as
/// packSource() says. BadInput as readTable() says it, and for categories that only validation rows
/// have.
[[nodiscard]] Result<Dataset> loadTable(const config::DataSpec& spec,
                                        const std::filesystem::path& jobFolder,
                                        const std::filesystem::path& cacheFolder,
                                        const LoadWatch& watch = {});

}  // namespace lockstep::data
