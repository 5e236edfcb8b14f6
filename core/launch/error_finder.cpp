// SPDX-License-Identifier: Apache-2.0
#include "core/launch/error_finder.h"

#include <algorithm>
#include <cctype>

namespace lockstep::launch {

namespace {

constexpr std::size_t kLongestCause = 600;

/// Without PyTorch's "[rank1]: " and without blanks at the end.
std::string_view bare(std::string_view line) {
    const std::size_t close = line.find("]: ");
    if (line.starts_with("[rank") && close != std::string_view::npos) line.remove_prefix(close + 3);
    while (!line.empty() && line.back() == ' ')
        line.remove_suffix(1);
    return line;
}

/// "ValueError: …", "torch.distributed.DistNetworkError: …", "KeyboardInterrupt".
bool namesException(std::string_view line) {
    const std::string_view name = line.substr(0, line.find(':'));
    const bool isDotted = std::ranges::all_of(
        name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
    if (!isDotted || name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0)
        return false;
    return name.ends_with("Error") || name.ends_with("Exception") ||
           name.ends_with("KeyboardInterrupt");
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
