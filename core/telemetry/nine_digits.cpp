// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/nine_digits.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>

namespace lockstep::telemetry {

namespace {

constexpr int kDigits = 9;
constexpr int kLeastExponent = -4;  // below it %g writes 1e-05
constexpr std::array<double, 14> kPowers{1e0, 1e1, 1e2, 1e3,  1e4,  1e5,  1e6,
                                         1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13};
/// A product of two doubles is off by less: only so close to a tie may its rounding be wrong.
constexpr double kDoubt = 1e-4;

void appendSlowly(double value, std::string& text) {
    fmt::format_to(std::back_inserter(text), "{:.9g}", value);
}

}  // namespace

void appendNineDigits(double value, std::string& text) {
    const double magnitude = std::abs(value);
    if (!(magnitude >= 1e-4 && magnitude < 1e9)) {
        if (magnitude == 0 && !std::signbit(value))
            text += '0';
        else
            appendSlowly(value, text);
        return;
    }
    int exponent = kDigits - 1;  // of the first digit
    while (exponent > kLeastExponent &&
           magnitude * kPowers[static_cast<std::size_t>(kDigits - 1 - exponent)] < 1e8)
        --exponent;
    const double scaled = magnitude * kPowers[static_cast<std::size_t>(kDigits - 1 - exponent)];
    const double rounded = std::floor(scaled);
    const double rest = scaled - rounded;
    if (std::abs(rest - 0.5) < kDoubt || scaled < 1e8 || scaled > 1e9 - 1)
        return appendSlowly(value, text);
    auto digits = static_cast<std::uint32_t>(rounded) + static_cast<std::uint32_t>(rest > 0.5);
    int count = kDigits;
    for (; digits % 10 == 0; digits /= 10)
        --count;

    std::array<char, 24> buffer{};  // filled from its end
    char* const end = buffer.data() + buffer.size();
    char* begin = end;
    const int fraction = count - 1 - exponent;  // digits behind the point
    for (int i = fraction; i < 0; ++i)
        *--begin = '0';
    int behind = 0;
    for (; digits != 0; digits /= 10) {
        if (behind++ == fraction && fraction > 0) *--begin = '.';
        *--begin = static_cast<char>('0' + digits % 10);
    }
    for (; behind < fraction; ++behind)
        *--begin = '0';
    if (exponent < 0) {
        *--begin = '.';
        *--begin = '0';
    }
    if (value < 0) *--begin = '-';
    text.append(begin, end);
}

}  // namespace lockstep::telemetry
