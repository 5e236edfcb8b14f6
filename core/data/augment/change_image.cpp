// SPDX-License-Identifier: Apache-2.0
#include "core/data/augment/change_image.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/plain_math.h"
#include "core/config/job/augmentation_facts.h"
#include "core/data/augment/crop.h"
#include "core/data/augment/erase.h"
#include "core/data/augment/tone.h"
#include "core/data/augment/warp.h"

namespace lockstep::data {

namespace {

using config::AugmentationKind;
using config::AugmentationSpec;

constexpr int kMostTries = 10;

std::uint8_t pixelOf(double value) {
    return static_cast<std::uint8_t>(std::lround(value * 255));
}

Fill fillOf(const AugmentationSpec& change) {
    return {change.fill, pixelOf(change.value)};
}

/// Where a box of that size begins, of all places.
int drawnStart(int places, Draws* draws) {
    return draws != nullptr ? static_cast<int>(draws->below(static_cast<std::uint32_t>(places)))
                            : (places - 1) / 2;
}

void cropAtRandom(const AugmentationSpec& change, const ImageView& image, const ImageShape& to,
                  Draws* draws, std::uint8_t* out) {
    const int top = drawnStart(image.shape.height + 2 * change.padding - to.height + 1, draws);
    const int left = drawnStart(image.shape.width + 2 * change.padding - to.width + 1, draws);
    crop(image, {top - change.padding, left - change.padding, to.height, to.width}, out);
}

/// A box of a drawn area and shape, where one lies within the image; as torchvision draws it.
std::optional<Box> drawnCrop(const AugmentationSpec& change, const ImageShape& shape,
                             Draws& draws) {
    const double area = static_cast<double>(shape.height) * shape.width;
    for (int i = 0; i < kMostTries; ++i) {
        const double wanted = area * draws.between(change.range);
        const double ratio =
            exponential(draws.between(naturalLog(change.across[0]), naturalLog(change.across[1])));
        const auto width = static_cast<int>(std::lround(std::sqrt(wanted * ratio)));
        const auto height = static_cast<int>(std::lround(std::sqrt(wanted / ratio)));
        if (width < 1 || height < 1 || width > shape.width || height > shape.height) continue;
        const int top = drawnStart(shape.height - height + 1, &draws);
        return Box{top, drawnStart(shape.width - width + 1, &draws), height, width};
    }
    return std::nullopt;
}

/// The largest box in the middle of the image whose shape is allowed.
Box middleCrop(const AugmentationSpec& change, const ImageShape& shape) {
    const double ratio = static_cast<double>(shape.width) / shape.height;
    Box box{0, 0, shape.height, shape.width};
    if (ratio < change.across[0])
        box.height = static_cast<int>(std::lround(shape.width / change.across[0]));
    else if (ratio > change.across[1])
        box.width = static_cast<int>(std::lround(shape.height * change.across[1]));
    box.height = std::clamp(box.height, 1, shape.height);
    box.width = std::clamp(box.width, 1, shape.width);
    box.top = (shape.height - box.height) / 2;
    box.left = (shape.width - box.width) / 2;
    return box;
}

void cropAndResize(const AugmentationSpec& change, const ImageView& image, const ImageShape& to,
                   Draws* draws, std::uint8_t* out) {
    std::optional<Box> box;
    if (draws != nullptr) box = drawnCrop(change, image.shape, *draws);
    if (!box)
        box = draws != nullptr ? middleCrop(change, image.shape)
                               : Box{0, 0, image.shape.height, image.shape.width};
    resizeBox(image, *box, to, out);
}

bool flip(const AugmentationSpec& change, const ImageView& image, Draws& draws, std::uint8_t* out) {
    if (draws.uniform() >= 0.5) return false;
    switch (change.mode) {
        case config::FlipMode::Horizontal:
            flipAcross(image, out);
            return true;
        case config::FlipMode::Vertical:
            flipDown(image, out);
            return true;
        case config::FlipMode::HorizontalAndVertical:
            break;
    }
    // Half a turn: as Keras, both or none.
    const auto channels = static_cast<std::size_t>(image.shape.channels);
    const std::uint8_t* pixel = image.pixels + image.shape.bytes();
    while (pixel != image.pixels) {
        pixel -= channels;
        out = std::copy_n(pixel, channels, out);
    }
    return true;
}

AffineMap drawnMap(const AugmentationSpec& change, const ImageShape& shape, Draws& draws) {
    const double first = draws.between(change.range);
    if (change.kind == AugmentationKind::RandomRotation) return rotation(shape, first);
    const double second = config::keepsRatio(change) ? first : draws.between(change.across);
    return change.kind == AugmentationKind::RandomZoom ? zoom(shape, 1 + first, 1 + second)
                                                       : translation(shape, first, second);
}

/// As Keras: a probability is drawn first, then whether it happens; each side has a share of its
/// own.
bool erase(const AugmentationSpec& change, const ImageView& image, Draws& draws,
           std::uint8_t* out) {
    const double down = std::sqrt(draws.between(change.across));
    const double across = std::sqrt(draws.between(change.across));
    const double probability = draws.between(change.range);
    if (draws.uniform() >= probability) return false;
    std::copy_n(image.pixels, image.shape.bytes(), out);
    const Box box = drawnBox(image.shape, down, across, draws);
    if (config::fillsWithNoise(change))
        fillWithNoise(image.shape, box, draws, out);
    else
        fillBox(image.shape, box, pixelOf(change.value), out);
    return true;
}

}  // namespace

bool changeImage(const AugmentationSpec& change, const ImageView& image, const ImageShape& to,
                 Draws* draws, std::uint8_t* out) {
    switch (change.kind) {
        case AugmentationKind::RandomCrop:
            cropAtRandom(change, image, to, draws, out);
            return true;
        case AugmentationKind::RandomResizedCrop:
            cropAndResize(change, image, to, draws, out);
            return true;
        default:
            break;
    }
    if (draws == nullptr) return false;
    switch (change.kind) {
        case AugmentationKind::RandomFlip:
            return flip(change, image, *draws, out);
        case AugmentationKind::RandomRotation:
        case AugmentationKind::RandomZoom:
        case AugmentationKind::RandomTranslation:
            warp(image, drawnMap(change, image.shape, *draws), fillOf(change), out);
            return true;
        case AugmentationKind::RandomBrightness:
            brighten(image, draws->between(change.range), out);
            return true;
        case AugmentationKind::RandomContrast:
            changeContrast(image, draws->between(1 - change.range[0], 1 + change.range[1]), out);
            return true;
        case AugmentationKind::RandomErasing:
            return erase(change, image, *draws, out);
        default:
            return false;
    }
}

}  // namespace lockstep::data
