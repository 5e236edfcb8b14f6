// SPDX-License-Identifier: Apache-2.0
#include "core/base/sanitize_lines.h"

#include <algorithm>

#include "core/base/text.h"

namespace lockstep {

std::string sanitizeLines(std::string_view text, std::size_t limit) {
    std::string lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines += sanitizeLine(text.substr(begin, end - begin), limit);
        if (end < text.size()) lines += '\n';
        begin = end + 1;
    }
    return lines;
}

}  // namespace lockstep
