// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

/// sanitizeLine of text.h for each line of a text of several; `limit`: of each.
[[nodiscard]] std::string sanitizeLines(std::string_view text, std::size_t limit = 4096);

}  // namespace lockstep
