// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep::data {

/// The character at `at`, which then is the place behind it. BadInput where there is none: bytes
/// that are no UTF-8, surrogates, or characters in a longer form than theirs.
[[nodiscard]] Result<char32_t> nextCharacter(std::string_view text, std::size_t& at);

[[nodiscard]] std::string utf8Of(char32_t character);

/// For sentences: "é (U+00E9)", "U+000A".
[[nodiscard]] std::string nameOfCharacter(char32_t character);

/// The line of a byte, from 1.
[[nodiscard]] std::uint64_t lineAt(std::string_view text, std::size_t at);

}  // namespace lockstep::data
