// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace lockstep::job {

/// Text as HTML and XML take it, also within an attribute's quotes: what others wrote (names,
/// causes, job files) is never markup. Control characters, which XML has no way to say, are blanks.
[[nodiscard]] std::string htmlText(std::string_view text);

/// "12 345": by thousands, with narrow blanks.
[[nodiscard]] std::string groupedText(long long number);
/// To four digits, as short as that goes: "0.1038", "12 345", "1.2e-05". "-" for what is no number.
[[nodiscard]] std::string numberText(double value);
/// "3.2 s", "4 min 10 s", "2 h 5 min".
[[nodiscard]] std::string durationText(double seconds);
/// "2026-11-26 03:10 UTC"; seconds since 1970.
[[nodiscard]] std::string momentText(double wallTime);

}  // namespace lockstep::job
