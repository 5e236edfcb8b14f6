// SPDX-License-Identifier: Apache-2.0
#include "core/job/report/html_text.h"

#include <fmt/format.h>

#include <cmath>
#include <ctime>

namespace lockstep::job {

std::string htmlText(std::string_view text) {
    std::string safe;
    safe.reserve(text.size());
    for (const char c : text) {
        switch (c) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            case '\'':
                safe += "&#39;";
                break;
            default: {
                const auto code = static_cast<unsigned char>(c);
                const bool isControl = code < 0x20 && c != '\n' && c != '\t';
                safe += isControl || code == 0x7f ? ' ' : c;
            }
        }
    }
    return safe;
}

std::string groupedText(long long number) {
    constexpr std::size_t kGroup = 3;
    std::string text = std::to_string(number);
    const std::size_t sign = number < 0 ? 1 : 0;
    for (std::size_t at = text.size(); at > sign + kGroup;)
        text.insert(at -= kGroup, "\u202f");
    return text;
}

std::string numberText(double value) {
    constexpr double kGrouped = 10'000;
    if (!std::isfinite(value)) return "-";
    if (std::abs(value) >= kGrouped && std::abs(value) < 1e15)
        return groupedText(std::llround(value));
    return fmt::format("{:.4g}", value);
}

std::string durationText(double seconds) {
    constexpr long long kMinute = 60;
    constexpr long long kHour = 60 * kMinute;
    if (!std::isfinite(seconds) || seconds < 0) return "-";
    if (seconds < 10) return fmt::format("{:.1f} s", seconds);
    const long long whole = std::llround(seconds);
    if (whole < kMinute) return fmt::format("{} s", whole);
    if (whole < kHour) return fmt::format("{} min {} s", whole / kMinute, whole % kMinute);
    return fmt::format("{} h {} min", whole / kHour, whole % kHour / kMinute);
}

std::string momentText(double wallTime) {
    const auto seconds = static_cast<std::time_t>(wallTime);
    std::tm parts{};
    if (wallTime <= 0 || gmtime_r(&seconds, &parts) == nullptr) return "-";
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", parts.tm_year + 1900, parts.tm_mon + 1,
                       parts.tm_mday, parts.tm_hour, parts.tm_min);
}

}  // namespace lockstep::job
