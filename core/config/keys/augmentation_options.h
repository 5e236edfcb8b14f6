// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/config/job/augmentation_spec.h"
#include "core/config/keys/key_codec.h"

namespace lockstep::config {

/// An option of one kind of augmentation.
struct AugmentationOption {
    Key<AugmentationSpec> key;  ///< Named without the list: "factor".
    bool isRequired = false;
};

/// A kind, as Keras' layer of that name in snake_case; random_resized_crop as torchvision's.
struct AugmentationType {
    std::string name;  ///< "random_crop".
    AugmentationKind kind = AugmentationKind::RandomFlip;
    AugmentationSpec defaults;
    std::vector<AugmentationOption> options;

    [[nodiscard]] const AugmentationOption* find(std::string_view option) const;
    [[nodiscard]] std::vector<std::string> optionNames() const;
};

/// All kinds, in the order in which help lists them.
[[nodiscard]] const std::vector<AugmentationType>& augmentationTypes();
[[nodiscard]] const AugmentationType& typeOf(AugmentationKind kind);
/// Null: there is no such kind.
[[nodiscard]] const AugmentationType* findAugmentationType(std::string_view name);

}  // namespace lockstep::config
