// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/dataset.h"

namespace lockstep::data {

/// How samples are shown to people: as they are, or smaller where a record has no room for them.
struct PreviewSize {
    int height = 0;
    int width = 0;
    int step = 1;  ///< Pixels of the sample, down and right, that one of the preview stands for.
};

/// The same for all samples of a data set. At most 5120 bytes a sample; 0 x 0: they are no images.
[[nodiscard]] PreviewSize previewSize(const Split& split);

/// height x width x channels: means of step x step pixels, of fewer at the right and lower edge.
[[nodiscard]] std::vector<std::uint8_t> previewOf(const Split& split, std::uint32_t index);

}  // namespace lockstep::data
