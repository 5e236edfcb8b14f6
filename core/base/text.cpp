// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"

#include <algorithm>
#include <numeric>

namespace lockstep {

namespace {

/// Optimal string alignment distance: insertions, deletions, substitutions and adjacent swaps.
std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> beforeLast(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(last.begin(), last.end(), 0U);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], beforeLast[j - 2] + 1);
        }
        std::swap(beforeLast, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

}  // namespace

std::optional<std::string> nearestName(std::string_view word,
                                       std::span<const std::string> candidates) {
    std::optional<std::string> best;
    std::size_t bestDistance = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = editDistance(word, candidate);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = candidate;
        }
    }
    return best;
}

std::string joinWords(std::span<const std::string> words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
        text += words[i];
    }
    return text;
}

std::string compressRanges(std::span<const int> ids) {
    std::string text;
    for (std::size_t i = 0; i < ids.size();) {
        std::size_t end = i;
        while (end + 1 < ids.size() && ids[end + 1] == ids[end] + 1)
            ++end;
        if (!text.empty()) text += ", ";
        text += std::to_string(ids[i]);
        if (end > i) text += (end == i + 1 ? ", " : "-") + std::to_string(ids[end]);
        i = end + 1;
    }
    return text;
}

std::string sanitizeLine(std::string_view line, std::size_t limit) {
    std::size_t size = std::min(line.size(), limit);
    while (size > 0 && size < line.size() &&
           (static_cast<unsigned char>(line[size]) & 0xC0) == 0x80)
        --size;
    std::string text(line.substr(0, size));
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const bool c1 =
            byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
        if (c1)
            text[i] = text[i + 1] = '?';
        else if ((byte < 0x20 && byte != '\t') || byte == 0x7F)
            text[i] = '?';
    }
    return text;
}

}  // namespace lockstep
