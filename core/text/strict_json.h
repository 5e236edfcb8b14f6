// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace lockstep::config {

/// What keeps a text from being read as JSON, as a clause ("it is empty"); empty when nothing
/// does: up to a million bytes, 8 levels, and no object with a key twice.
[[nodiscard]] std::string jsonProblem(std::string_view text);

}  // namespace lockstep::config
