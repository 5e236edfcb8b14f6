// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::config {

enum class ValueKind : std::uint8_t {
    Text,
    Path,
    PathOrTable,  ///< A path, or a table of it and of what else there is to say.
    WordOrTable,  ///< One of `words`, or a table of texts.
    Integer,
    Number,
    IntegerOrWord,  ///< A whole number within minimum and maximum, or one of `words`.
    Flag,
    Word,           ///< One of `words`.
    TextList,       ///< An array of strings.
    NumberList,     ///< An array of numbers from `minimum`.
    NumberOrPair,   ///< A number, or an array of a lower and an upper one.
    PixelSize,      ///< [height, width], two whole numbers within minimum and maximum.
    AddressList,    ///< An array of "host:port", or one string with commas.
    FlagOrAddress,  ///< true, false or "host:port".
    LayerList,      ///< An array of inline tables, whose options are keys of their own.
    Table,          ///< A table of tables: blocks and defaults of a model.
    TableList,      ///< An array of tables, each with a type, whose options have help of their own.
};

/// What the window and the terminal tell about a key of the job file.
struct KeyHelp {
    std::string key;  ///< "training.epochs"; an option of a layer: "model.layers[].units".
    ValueKind kind = ValueKind::Text;
    std::optional<double> minimum;  ///< Of numbers only, as is maximum.
    std::optional<double> maximum;
    bool aboveMinimum = false;       ///< The minimum itself is not allowed.
    bool belowMaximum = false;       ///< The maximum itself is not allowed.
    std::vector<std::string> words;  ///< Word only: what is allowed.
    std::string defaultToml;         ///< As it is written in TOML; empty: required, or left open.
    std::string unit;                ///< "s", "samples", …; empty where there is none.
    std::string help;                ///< One line.
};

/// Every key, in the order in which a job file lists them. Built once, never changes.
[[nodiscard]] const std::vector<KeyHelp>& allKeyHelp();

/// The help of one key; "model.layers[3].units" finds "model.layers[].units". Null: no such key.
[[nodiscard]] const KeyHelp* keyHelp(std::string_view key);

/// ", did you mean training.epochs?" for a key or word near one of the candidates, else empty.
[[nodiscard]] std::string didYouMean(std::string_view word,
                                     const std::vector<std::string>& candidates);

}  // namespace lockstep::config
