// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lockstep::config {

/// The text without the blanks, tabs and line ends around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The whole text as a decimal number, with a minus sign or without; nothing else around it.
[[nodiscard]] std::optional<std::int64_t> wholeNumber(std::string_view text);

/// What stands between the separators, trimmed; empty parts stay. An empty text is one empty part.
[[nodiscard]] std::vector<std::string_view> splitText(std::string_view text, char separator);

/// The lines without their ends; a last line break begins no further line.
[[nodiscard]] std::vector<std::string_view> linesOf(std::string_view text);

}  // namespace lockstep::config
