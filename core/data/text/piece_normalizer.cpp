// SPDX-License-Identifier: Apache-2.0
#include "core/data/text/piece_normalizer.h"

#include <algorithm>
#include <cstring>

namespace lockstep::data {

namespace {

std::vector<std::pair<std::string_view, std::int32_t>> symbolsOf(const PieceModel& model) {
    std::vector<std::pair<std::string_view, std::int32_t>> symbols;
    for (const Piece& piece : model.pieces)
        if (piece.type == Piece::Type::UserDefined) symbols.emplace_back(piece.text, 0);
    return symbols;
}

}  // namespace

std::size_t characterBytes(std::string_view text) {
    static constexpr std::uint8_t kBytes[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4};
    return std::min<std::size_t>(kBytes[static_cast<unsigned char>(text.front()) >> 4],
                                 text.size());
}

PieceNormalizer::PieceNormalizer(const PieceModel& model)
    : addsDummyPrefix_(model.addsDummyPrefix),
      removesExtraWhitespace_(model.removesExtraWhitespace),
      isWhitespaceSuffix_(model.isWhitespaceSuffix),
      space_(model.escapesWhitespace ? kPieceSpace : " "),
      symbols_(symbolsOf(model)) {
    // The size of the double array in bytes, the array, then the texts.
    const std::string_view map = model.charactersMap;
    std::uint32_t bytes = 0;
    if (map.size() <= sizeof bytes) return;
    std::memcpy(&bytes, map.data(), sizeof bytes);
    if (bytes > map.size() - sizeof bytes || bytes % 4 != 0) return;
    map_.resize(bytes / 4);
    std::memcpy(map_.data(), map.data() + sizeof bytes, bytes);
    forms_ = map.substr(sizeof bytes + bytes);
}

std::pair<std::size_t, bool> PieceNormalizer::firstPart(std::string_view text) const {
    std::size_t longest = 0;
    symbols_.forEachPrefix(text, [&longest](std::size_t bytes, std::int32_t) { longest = bytes; });
    if (longest > 0) return {longest, true};
    return {characterBytes(text), false};
}

PieceNormalizer::Prefix PieceNormalizer::prefixOf(std::string_view text) const {
    const auto [first, isSymbol] = firstPart(text);
    if (isSymbol || map_.empty()) return {text.substr(0, first), first};
    // Darts' double array: a unit holds the label of its edge, where its children are, and whether
    // one of them is a value.
    const auto childrenOf = [](std::uint32_t unit) {
        return (unit >> 10U) << ((unit & (1U << 9U)) >> 6U);
    };
    std::size_t longest = 0;
    std::uint32_t value = 0;
    std::uint32_t place = childrenOf(map_[0]);
    for (std::size_t i = 0; i < text.size(); ++i) {
        place ^= static_cast<unsigned char>(text[i]);
        if (place >= map_.size()) break;
        const std::uint32_t unit = map_[place];
        if ((unit & ((1U << 31U) | 0xFFU)) != static_cast<unsigned char>(text[i])) break;
        place ^= childrenOf(unit);
        if ((unit >> 8U & 1U) == 0 || place >= map_.size()) continue;
        longest = i + 1;
        value = map_[place] & ((1U << 31U) - 1);
    }
    if (longest == 0 || value >= forms_.size()) return {text.substr(0, first), first};
    return {std::string_view(forms_.c_str() + value), longest};
}

std::string PieceNormalizer::normalize(std::string_view text) const {
    std::string all;
    if (removesExtraWhitespace_)
        while (!text.empty()) {
            const Prefix prefix = prefixOf(text);
            if (prefix.text != " ") break;
            text.remove_prefix(prefix.bytes);
        }
    if (text.empty()) return all;
    if (addsDummyPrefix_ && !isWhitespaceSuffix_) all += space_;
    bool isBehindSpace = removesExtraWhitespace_;
    while (!text.empty()) {
        const Prefix prefix = prefixOf(text);
        std::string_view part = prefix.text;
        while (isBehindSpace && part.starts_with(' '))
            part.remove_prefix(1);
        for (const char c : part)
            if (c == ' ')
                all += space_;
            else
                all += c;
        if (!part.empty()) isBehindSpace = part.ends_with(' ');
        isBehindSpace = isBehindSpace && removesExtraWhitespace_;
        text.remove_prefix(prefix.bytes);
    }
    if (removesExtraWhitespace_)
        while (all.ends_with(space_))
            all.resize(all.size() - space_.size());
    if (addsDummyPrefix_ && isWhitespaceSuffix_) all += space_;
    return all;
}

}  // namespace lockstep::data
