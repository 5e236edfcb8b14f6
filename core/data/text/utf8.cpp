// SPDX-License-Identifier: Apache-2.0
#include "core/data/text/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lockstep::data {

namespace {

/// Bytes of the character that begins so; 0: none does.
std::size_t lengthOf(unsigned char first) {
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first < 0xE0) return 2;
    if (first >= 0xE0 && first < 0xF0) return 3;
    return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

}  // namespace

Result<char32_t> nextCharacter(std::string_view text, std::size_t& at) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::size_t length = lengthOf(first);
    const auto damaged = [] { return fail(ErrorCode::BadInput, "is not UTF-8"); };
    if (length == 0 || text.size() - at < length) return damaged();
    if (length == 1) {
        ++at;
        return char32_t{first};
    }
    char32_t character = first & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto byte = static_cast<unsigned char>(text[at + i]);
        if ((byte & 0xC0U) != 0x80U) return damaged();
        character = character << 6U | (byte & 0x3FU);
    }
    static constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
    const bool isSurrogate = character >= 0xD800 && character < 0xE000;
    if (character < kSmallest[length] || character > 0x10FFFF || isSurrogate) return damaged();
    at += length;
    return character;
}

std::string utf8Of(char32_t character) {
    std::string text;
    const auto push = [&text](char32_t byte) { text += static_cast<char>(byte); };
    if (character < 0x80) {
        push(character);
    } else if (character < 0x800) {
        push(0xC0U | character >> 6U);
        push(0x80U | (character & 0x3FU));
    } else if (character < 0x10000) {
        push(0xE0U | character >> 12U);
        push(0x80U | (character >> 6U & 0x3FU));
        push(0x80U | (character & 0x3FU));
    } else {
        push(0xF0U | character >> 18U);
        push(0x80U | (character >> 12U & 0x3FU));
        push(0x80U | (character >> 6U & 0x3FU));
        push(0x80U | (character & 0x3FU));
    }
    return text;
}

std::string nameOfCharacter(char32_t character) {
    const std::string number = fmt::format("U+{:04X}", static_cast<std::uint32_t>(character));
    const bool isPlain = character > 0x20 && (character < 0x7F || character > 0xA0);
    return isPlain ? fmt::format("{} ({})", utf8Of(character), number) : number;
}

std::uint64_t lineAt(std::string_view text, std::size_t at) {
    return 1 + static_cast<std::uint64_t>(std::ranges::count(text.substr(0, at), '\n'));
}

}  // namespace lockstep::data
