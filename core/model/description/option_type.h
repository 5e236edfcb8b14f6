// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/text/toml_tree.h"

namespace lockstep::model {

/// The largest number of a tensor's elements: 2^31.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 31;
/// The largest size that a layer may be given: units, filters, positions.
inline constexpr std::int64_t kMostUnits = std::int64_t{1} << 20;

enum class OptionKind : std::uint8_t {
    Integer,
    IntegerOrFact,  ///< Or "classes", "vocabulary": what the data says.
    Number,
    Numbers,  ///< One for all channels, or an array with one each.
    Flag,
    Word,     ///< One of `words`.
    Lengths,  ///< A whole number, or an array with one for each of `rank` dimensions.
    Padding,  ///< "valid", "same", or as Lengths.
    Frame,    ///< As Lengths, or [[above, below], [left, right]].
    Sizes,    ///< An array of whole numbers; one of them may be -1: what is left.
    LayerName,
};

/// An option of a type of layer: what may be written, and what holds where nothing is.
struct OptionType {
    std::string name;
    OptionKind kind = OptionKind::Integer;
    std::string defaultToml{};  ///< As it is written in TOML; empty: required, or left open.
    std::string help{};         ///< One line.
    double minimum = 1;         ///< Of each number; allowed unless aboveMinimum.
    double maximum = static_cast<double>(kMostUnits);  ///< Allowed unless belowMaximum.
    bool aboveMinimum = false;
    bool belowMaximum = false;
    bool isRequired = false;
    std::vector<std::string> words{};                 ///< Word only: what is allowed.
    int rank = 2;                                     ///< Lengths, Padding and Frame only.
    std::optional<config::TomlValue> defaultValue{};  ///< What defaultToml says.
};

/// "a whole number from 1 to 64", "true or false": what the option takes.
[[nodiscard]] std::string expectation(const OptionType& option);

/// "is 0, but must be a whole number from 1 to 64", or nothing when the value fits. The value holds
/// no "$name" any more.
[[nodiscard]] std::optional<std::string> misfit(const config::TomlValue& value,
                                                const OptionType& option);

}  // namespace lockstep::model
