// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/data/shared_bytes.h"

namespace lockstep::data {

/// Labelled 8-bit images, grey or in colour. Immutable once in a Dataset, so any thread may read
/// it.
struct Split {
    std::uint32_t count = 0;
    int width = 0;
    int height = 0;
    SharedBytes images;  ///< count x height x width x channels, row-major.
    SharedBytes labels;  ///< count.
    int channels = 1;    ///< 1: grey; 3: red, green, blue of a pixel beside each other.

    /// Bytes of a sample: height x width x channels.
    [[nodiscard]] std::size_t bytesPerImage() const {
        return static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
               static_cast<std::size_t>(channels);
    }
    /// Of sample `index`, height x width x channels.
    [[nodiscard]] std::span<const std::uint8_t> image(std::uint32_t index) const {
        return {images.data() + index * bytesPerImage(), bytesPerImage()};
    }
};

/// What a job trains and is evaluated on. All splits have the same image size and channels; none is
/// null.
struct Dataset {
    std::shared_ptr<const Split> train;
    std::shared_ptr<const Split> validation;  ///< count 0 when the job asks for none.
    std::shared_ptr<const Split> test;
    std::vector<std::string> classNames;
    int classes = 0;                 ///< classNames.size(); every label is below it.
    std::string fingerprint;         ///< XXH3-128 of all pixels and labels, 32 hexadecimal digits.
    std::vector<std::string> notes;  ///< What was left out or taken twice: sentences for the log.
};

}  // namespace lockstep::data
