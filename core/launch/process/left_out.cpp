// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/left_out.h"

#include <fmt/format.h>

#include <charconv>

#include "core/base/plural.h"

namespace lockstep::launch {

namespace {

constexpr std::string_view kLeftOut = " left out here, too many at once: ";
constexpr std::string_view kBytes = ", bytes ";

/// Takes a number, and the word behind it, off the front of `text`.
bool takeNumber(std::string_view& text, std::string_view behind, std::uint64_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with(behind)) return false;
    text.remove_prefix(behind.size());
    return true;
}

}  // namespace

std::string logFileName(bool isEvaluator, std::uint32_t processId) {
    if (!isEvaluator) return fmt::format("process-{}.log", processId);
    return processId == 0 ? "evaluator.log" : fmt::format("evaluator-{}.log", processId);
}

std::string leftOutSentence(std::uint64_t lines, const std::string& where,
                            const std::vector<Stretch>& stretches) {
    std::string text = fmt::format("({}{}{}", counted(lines, "line"), kLeftOut, where);
    for (const Stretch& stretch : stretches)
        text += fmt::format("{}{} to {}", &stretch == stretches.data() ? kBytes : " and ",
                            stretch.begin, stretch.end);
    return text + ")";
}

std::vector<Stretch> leftOutStretches(std::string_view line) {
    const std::size_t at = line.find(kBytes);
    if (!line.starts_with('(') || !line.ends_with(')') || at == std::string_view::npos ||
        line.find(kLeftOut) > at)
        return {};
    line.remove_prefix(at + kBytes.size());
    std::vector<Stretch> stretches;
    for (bool goesOn = true; goesOn;) {
        Stretch stretch;
        if (!takeNumber(line, " to ", stretch.begin)) return {};
        goesOn = false;
        if (std::string_view rest = line; takeNumber(rest, " and ", stretch.end)) {
            line = rest;
            goesOn = true;
        } else if (!takeNumber(line, ")", stretch.end)) {
            return {};
        }
        if (stretch.begin >= stretch.end) return {};
        stretches.push_back(stretch);
    }
    return line.empty() ? stretches : std::vector<Stretch>();
}

}  // namespace lockstep::launch
