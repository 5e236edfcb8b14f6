// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace lockstep::config {

enum class AugmentationKind : std::uint8_t {
    RandomCrop,
    RandomResizedCrop,
    RandomFlip,
    RandomRotation,
    RandomZoom,
    RandomTranslation,
    RandomBrightness,
    RandomContrast,
    RandomErasing,
    MixUp,
    CutMix,
};
enum class FlipMode : std::uint8_t { Horizontal, Vertical, HorizontalAndVertical };
/// What stands where an image was moved away from.
enum class FillMode : std::uint8_t { Constant, Nearest, Reflect, Wrap };

/// A random change of training images. Which numbers a kind reads, their units and defaults are
/// Keras' and stand in its help.
struct AugmentationSpec {
    AugmentationKind kind = AugmentationKind::RandomFlip;
    int height = 0;  ///< Of what a crop gives; 0: the image's.
    int width = 0;
    int padding = 0;  ///< Zeros on every side before a crop.
    FlipMode mode = FlipMode::HorizontalAndVertical;
    FillMode fill = FillMode::Reflect;
    std::array<double, 2> range{};   ///< Of the factor: lower and upper.
    std::array<double, 2> across{};  ///< Of a second factor: width, or aspect ratio.
    double probability = 1;          ///< That it happens to a sample.
    double alpha = 0.2;              ///< Of the beta distribution of mix-up and cut-mix.
    double value = 0;                ///< What fills, 0 to 1.
};

/// (x - mean) / deviation of each channel, x in 0..1. Empty: as it is.
struct NormalizeSpec {
    std::vector<double> mean{};
    std::vector<double> deviation{};
};

}  // namespace lockstep::config
