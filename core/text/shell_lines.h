// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace lockstep::config {

/// One command of a shell text: `A=1 B='2' program --option`.
struct ShellLine {
    std::vector<std::pair<std::string, std::string>> assignments;
    std::vector<std::string> words;  ///< Without `export` and `env`.
};

/// Splits a text as a POSIX shell does: quotes, backslashes, comments, line continuations, `;` and
/// `&&`. Nothing is expanded. A value that begins with an unquoted brace goes on to the matching
/// one, which is how JSON is often pasted. BadInput names the line of a quote or brace that is not
/// closed.
[[nodiscard]] Result<std::vector<ShellLine>> parseShellLines(std::string_view text);

}  // namespace lockstep::config
