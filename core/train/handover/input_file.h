// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/data/sample_facts.h"

namespace lockstep::train {

/// What a file holds for a network that was trained on such samples: an image (JPEG or PNG, brought
/// to the network's size and colours as training images were), or all images of an IDX file. There
/// are no targets: classes are 0. Errors name the file.
[[nodiscard]] Result<data::Split> readInputFile(const std::filesystem::path& path,
                                                const data::SampleFacts& samples);

}  // namespace lockstep::train
