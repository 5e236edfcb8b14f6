// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/error_finder.h"

#include "core/launch/process/line_levels.h"

namespace lockstep::launch {

namespace {

constexpr std::size_t kLongestCause = 600;

std::string_view bare(std::string_view line) {
    line = withoutRank(line);
    while (!line.empty() && line.back() == ' ')
        line.remove_suffix(1);
    return line;
}

}  // namespace

void ErrorFinder::take(std::string_view line) {
    line = bare(line);
    if (line.empty() || line.starts_with("note: ") || line.starts_with("warning: ")) return;
    last_ = line.substr(0, kLongestCause);
    constexpr std::string_view kErrorWord = "error: ";
    constexpr std::string_view kWhat = "  what():  ";
    if (line.starts_with("Traceback (most recent call last):")) {
        inTraceback_ = true;
    } else if (line.starts_with(kErrorWord)) {
        named_ = line.substr(kErrorWord.size(), kLongestCause);
    } else if (line.starts_with(kWhat)) {
        named_ = line.substr(kWhat.size(), kLongestCause);
    } else if (namesException(line) || line.starts_with("Fatal Python error: ") ||
               (inTraceback_ && line.front() != ' ')) {
        named_ = last_;
        inTraceback_ = false;
    }
}

std::string ErrorFinder::cause() const {
    if (!named_.empty()) return named_;
    return last_.empty() ? std::string() : "its last line was: " + last_;
}

}  // namespace lockstep::launch
