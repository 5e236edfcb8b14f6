// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// The candidate nearest to `word` by edit distance, when it is near enough to be what was meant
/// (at most a third of the letters wrong); nullopt otherwise.
[[nodiscard]] std::optional<std::string> nearestName(std::string_view word,
                                                     std::span<const std::string> candidates);

/// "a, b and c".
[[nodiscard]] std::string joinWords(std::span<const std::string> words);

/// "0-2, 5": process ids with ranges compressed; `ids` is sorted.
[[nodiscard]] std::string compressRanges(std::span<const int> ids);

/// The text with control characters (all below 0x20 but tab, 0x7f, C1) replaced by '?', and cut
/// to `limit` bytes on a UTF-8 boundary: for output of other programs that we display.
[[nodiscard]] std::string sanitizeLine(std::string_view line, std::size_t limit = 4096);

}  // namespace lockstep
