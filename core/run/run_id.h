// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

namespace lockstep::run {

/// Whether `text` is what runs are called (lower-case hexadecimal digits): it becomes part of the
/// names of files, and what comes from another host may be anything.
[[nodiscard]] inline bool isRunId(std::string_view text) {
    constexpr std::size_t kLongest = 64;
    return !text.empty() && text.size() <= kLongest && std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    });
}

}  // namespace lockstep::run
