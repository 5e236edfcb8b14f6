// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep::config {

/// `os.environ["KEY"] = "value"`, also over two lines, as a shell would write it; all else as is.
[[nodiscard]] std::string withoutEnviron(std::string_view text);

/// The first dictionary of a text, from its brace to the matching one, as JSON: strings in either
/// quotes, a comma before a closing bracket, comments. JSON stays as it is. BadInput for a variable
/// in place of a value, and for a brace that is not closed.
[[nodiscard]] Result<std::string> dictionaryAsJson(std::string_view text);

}  // namespace lockstep::config
