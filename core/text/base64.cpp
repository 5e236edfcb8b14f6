// SPDX-License-Identifier: Apache-2.0
#include "core/text/base64.h"

#include <array>
#include <cstdint>

namespace lockstep::text {

namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kBytes = 3;  // in four digits
constexpr std::size_t kGroup = 4;

constexpr auto kValues = [] {
    std::array<std::int8_t, 256> values{};
    values.fill(-1);
    for (std::size_t i = 0; i < kDigits.size(); ++i)
        values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::int8_t>(i);
    return values;
}();

}  // namespace

std::string toBase64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + kBytes - 1) / kBytes * kGroup);
    for (std::size_t at = 0; at < bytes.size(); at += kBytes) {
        const std::string_view part = bytes.substr(at, kBytes);
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < kBytes; ++i)
            bits = bits << 8 | (i < part.size() ? static_cast<unsigned char>(part[i]) : 0U);
        for (std::size_t i = 0; i < kGroup; ++i)
            text += i <= part.size() ? kDigits[bits >> (18 - 6 * i) & 63U] : '=';
    }
    return text;
}

std::optional<std::string> fromBase64(std::string_view text) {
    if (text.size() % kGroup != 0) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / kGroup * kBytes);
    for (std::size_t at = 0; at < text.size(); at += kGroup) {
        std::string_view group = text.substr(at, kGroup);
        if (at + kGroup == text.size()) group = group.substr(0, group.find_last_not_of('=') + 1);
        if (group.size() < 2) return std::nullopt;
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < kGroup; ++i) {
            const int value = i < group.size() ? kValues[static_cast<unsigned char>(group[i])] : 0;
            if (value < 0) return std::nullopt;
            bits = bits << 6 | static_cast<std::uint32_t>(value);
        }
        for (std::size_t i = 0; i + 1 < group.size(); ++i)
            bytes += static_cast<char>(bits >> (16 - 8 * i));
    }
    if (toBase64(bytes) != text) return std::nullopt;  // bits that nothing stands for
    return bytes;
}

}  // namespace lockstep::text
