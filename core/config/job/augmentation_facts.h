// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "core/config/job/augmentation_spec.h"

namespace lockstep::config {

/// Of random_zoom: the width goes with the height. `across` holds no numbers then.
[[nodiscard]] inline bool keepsRatio(const AugmentationSpec& spec) {
    return std::isnan(spec.across[0]);
}
/// Of random_erasing: noise fills instead of a value. `value` is no number then.
[[nodiscard]] inline bool fillsWithNoise(const AugmentationSpec& spec) {
    return std::isnan(spec.value);
}
/// Whether a sample gets a part of another one, and of its class.
[[nodiscard]] inline bool mixes(const AugmentationSpec& spec) {
    return spec.kind == AugmentationKind::MixUp || spec.kind == AugmentationKind::CutMix;
}

}  // namespace lockstep::config
