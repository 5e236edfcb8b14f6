// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/description/layer_table.h"

namespace lockstep::model {

// The families of the layer table, and the options that several of them have.

[[nodiscard]] std::vector<LayerType> denseTypes();
[[nodiscard]] std::vector<LayerType> convolutionTypes();
[[nodiscard]] std::vector<LayerType> poolingTypes();
[[nodiscard]] std::vector<LayerType> normalizationTypes();
[[nodiscard]] std::vector<LayerType> elementwiseTypes();
[[nodiscard]] std::vector<LayerType> shapeTypes();
[[nodiscard]] std::vector<LayerType> mergeTypes();
[[nodiscard]] std::vector<LayerType> sequenceTypes();
[[nodiscard]] std::vector<LayerType> recurrentTypes();

/// A whole number from 1 that must be given.
[[nodiscard]] OptionType requiredInteger(std::string name, std::string help);
[[nodiscard]] OptionType flag(std::string name, bool value, std::string help);
/// A number within [minimum, maximum], or below the maximum where `isOpen`.
[[nodiscard]] OptionType number(std::string name, const std::string& defaultToml, double minimum,
                                double maximum, std::string help, bool isOpen = false);
[[nodiscard]] OptionType word(std::string name, const std::string& value,
                              std::vector<std::string> words, std::string help);
/// Sizes of a window in `rank` dimensions, from 1. No default: it must be given.
[[nodiscard]] OptionType extent(std::string name, const std::string& defaultToml, int rank,
                                std::string help);
[[nodiscard]] OptionType padding(int rank);

/// `activation` = "linear", `negative_slope`, `alpha`.
void addActivation(std::vector<OptionType>& options);
/// How a tensor begins: "glorot_uniform", "he_normal", "uniform", "zeros", "ones".
[[nodiscard]] OptionType initializer(std::string name, const std::string& value);
[[nodiscard]] OptionType useBias();
[[nodiscard]] OptionType epsilon(const std::string& defaultToml);

}  // namespace lockstep::model
