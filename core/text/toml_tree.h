// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace lockstep::config {

struct TomlEntry;

/// Bytes [begin, end) of a text.
struct TextSpan {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// From 1, the column in characters.
struct TextPlace {
    int line = 1;
    int column = 1;
};

/// A value of a TOML text with the place where it stands. Spans hold for that text only.
struct TomlValue {
    enum class Kind : std::uint8_t { Table, Array, String, Integer, Float, Boolean, Moment };

    Kind kind = Kind::Table;
    int line = 1;           ///< Of the value's first character, from 1; likewise the column.
    int column = 1;         ///< In characters, not bytes.
    TextSpan span;          ///< Of a table with a header: the header's "[name]" alone.
    bool isInline = false;  ///< A table in braces, or an array in brackets.
    std::string text;       ///< String.
    std::int64_t integer = 0;
    double number = 0;  ///< Float; of an Integer the same number.
    bool flag = false;
    std::vector<TomlEntry> entries;   ///< Table, in the text's order.
    std::vector<TomlValue> elements;  ///< Array.

    /// The entry's value; null when the table has no such key, or this is no table.
    [[nodiscard]] const TomlValue* find(std::string_view key) const;
};

struct TomlEntry {
    std::string key;
    int line = 1;  ///< Of the key.
    int column = 1;
    TextSpan keySpan;  ///< Of a dotted key: its last part.
    TomlValue value;
};

[[nodiscard]] inline TextPlace placeOf(const TomlValue& value) {
    return {value.line, value.column};
}

/// Why a text is not TOML. The message is a clause without the place.
struct TomlSyntaxError {
    int line = 1;
    int column = 1;
    std::string message;
};

/// Reads a TOML 1.0 text. Values nested deeper than 32 and dotted keys of more than 16 parts are
/// refused, so that the memory and the stack a text takes are bounded by its size.
[[nodiscard]] tl::expected<TomlValue, TomlSyntaxError> parseToml(std::string_view text);

/// Whether both mean the same, wherever they stand.
[[nodiscard]] bool sameValue(const TomlValue& a, const TomlValue& b);

/// A value as a message shows it: strings quoted, long ones cut, tables and arrays by their kind.
[[nodiscard]] std::string shownValue(const TomlValue& value);

}  // namespace lockstep::config
