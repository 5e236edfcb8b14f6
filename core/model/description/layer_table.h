// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/description/option_type.h"

namespace lockstep::model {

/// A type of layer and its options.
struct LayerType {
    std::string name;  ///< "conv2d": Keras' class in snake_case.
    std::string help;  ///< One line.
    std::vector<OptionType> options;
    bool isMerge = false;     ///< Takes several inputs, by `inputs`.
    bool hasTensors = false;  ///< And with them `trainable`.
    /// What Keras' layer takes and this one does not, with what to do instead: sentences.
    std::vector<std::pair<std::string, std::string>> refused{};

    /// Null: the layer has no such option.
    [[nodiscard]] const OptionType* find(std::string_view option) const;
};

/// Every type of layer, family by family. This table is the one place that knows an option: how it
/// is read, its default, its help and did-you-mean follow it.
[[nodiscard]] const std::vector<LayerType>& layerTypes();

/// Null: there is no such type.
[[nodiscard]] const LayerType* findLayerType(std::string_view name);

[[nodiscard]] const std::vector<std::string>& layerTypeNames();

/// "relu", "gelu", …: what may be written as an activation.
[[nodiscard]] const std::vector<std::string>& activationNames();

/// What a residual takes besides its layers: "activation" and what belongs to it.
[[nodiscard]] const LayerType& residualType();

/// `repeat` of a block's use.
[[nodiscard]] const OptionType& repeatOption();

}  // namespace lockstep::model
