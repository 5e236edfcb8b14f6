// SPDX-License-Identifier: Apache-2.0
#include "core/text/toml_text.h"

#include <fmt/format.h>

namespace lockstep::config {

std::string tomlNumber(double number) {
    std::string text = fmt::format("{}", number);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
}

std::string tomlString(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            quoted += {'\\', c};
        else if (c == '\n')
            quoted += "\\n";
        else if (c == '\t')
            quoted += "\\t";
        else if (byte < 0x20 || byte == 0x7F)
            quoted += fmt::format("\\u{:04X}", byte);
        else
            quoted += c;
    }
    return quoted + '"';
}

}  // namespace lockstep::config
