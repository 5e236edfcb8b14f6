// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/text_patch.h"

namespace lockstep::config {

// Edits of the elements of an array in brackets, one at a time: every other line of the text stays
// as it is, comments included. Where elements have lines of their own, so do new ones.

/// The edits that put `item` in front of the element at `index`; the array's size: behind the last.
/// `item` is a value as TOML writes it, its further lines indented as if it began at column 0.
[[nodiscard]] std::vector<TextEdit> editsToInsert(std::string_view text, const TomlValue& array,
                                                  std::size_t index, std::string_view item);

/// The edits that remove an element with its comma, and with a comment that ends its line.
/// Comments on lines of their own stay.
[[nodiscard]] std::vector<TextEdit> editsToErase(std::string_view text, const TomlValue& array,
                                                 std::size_t index);

/// The edits that bring the element at `from` to the place `to`; those between move by one. A
/// comment that ends an element's line goes with it, where all of them have lines of their own.
[[nodiscard]] std::vector<TextEdit> editsToMove(std::string_view text, const TomlValue& array,
                                                std::size_t from, std::size_t to);

/// An element's text as editsToInsert takes it.
[[nodiscard]] std::string itemText(std::string_view text, const TomlValue& element);

}  // namespace lockstep::config
