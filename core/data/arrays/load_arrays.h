// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/data/dataset.h"
#include "core/data/load_watch.h"

namespace lockstep::data {

/// The arrays that data.inputs and data.targets name, and those of validation and test. Inputs of
/// bytes whose samples have two or three dimensions are images, all others numbers as they are.
/// Targets of whole numbers, one a sample, are classes; all others values. Without validation
/// arrays the last share of the samples validates; with data.validation_split = 0 and no test
/// arrays none does, and none is tested on. BadInput for arrays that do not fit each other,
/// and for numbers that are not finite or that float32 cannot hold. What of large arrays is not
/// mapped as it lies is packed in `cacheFolder`, as packSource() says.
[[nodiscard]] Result<Dataset> loadArrays(const config::DataSpec& spec,
                                         const std::filesystem::path& jobFolder,
                                         const std::filesystem::path& cacheFolder,
                                         const LoadWatch& watch = {});

}  // namespace lockstep::data
