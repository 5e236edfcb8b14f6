// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace lockstep::config {

/// The text as a TOML basic string, with quotes.
[[nodiscard]] std::string tomlString(std::string_view text);

/// A number with as few digits as read back the same, and always with a point or an exponent.
[[nodiscard]] std::string tomlNumber(double number);

}  // namespace lockstep::config
