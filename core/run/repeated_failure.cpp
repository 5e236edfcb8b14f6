// SPDX-License-Identifier: Apache-2.0
#include "core/run/repeated_failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <set>
#include <sstream>
#include <string_view>

namespace lockstep::run {

namespace {

constexpr std::size_t kTimes = 3;

bool isNumber(const std::string& word) {
    constexpr std::string_view kNotFinite[] = {"nan", "-nan", "inf", "-inf"};
    const auto isDigit = [](unsigned char one) { return std::isdigit(one) != 0; };
    return std::ranges::any_of(word, isDigit) || std::ranges::count(kNotFinite, word) > 0;
}

/// Steps, process ids, addresses and times differ from one start to the next.
std::string withoutNumbers(const std::string& sentence) {
    std::istringstream words(sentence);
    std::string kind;
    for (std::string word; words >> word;)
        kind += (isNumber(word) ? "#" : word) + ' ';
    return kind;
}

/// The newest step that was completed before the last of them.
std::uint64_t furthest(std::span<const wire::Failure> failures) {
    std::uint64_t step = 0;
    for (const wire::Failure& failure : failures)
        step = std::max(step, failure.trained_to());
    return step;
}

/// Where each start marks the checkpoint that it went on from, the next one takes an older one.
bool walkBack(std::span<const wire::Failure> failures) {
    std::set<std::uint64_t> suspects;
    for (const wire::Failure& failure : failures)
        if (failure.suspect_checkpoint() != 0) suspects.insert(failure.suspect_checkpoint());
    return suspects.size() > 1;
}

}  // namespace

bool repeatsItself(std::span<const wire::Failure> failures, bool ownProgram) {
    if (failures.size() < kTimes) return false;
    const auto last = failures.last(kTimes);
    const std::string kind = withoutNumbers(last.front().cause());
    const bool isTheSame = std::ranges::all_of(last, [&](const wire::Failure& failure) {
        return !failure.from_outside() && withoutNumbers(failure.cause()) == kind;
    });
    const std::uint64_t before = furthest(failures.first(failures.size() - kTimes + 1));
    if (!isTheSame || walkBack(last) || (ownProgram && before == 0)) return false;
    return furthest(last) <= before;
}

std::string repetitionText(std::span<const wire::Failure> failures) {
    const std::uint64_t step = furthest(failures);
    const std::string& cause = failures.back().cause();
    if (step == 0) return fmt::format("{} times the same before the first step: {}", kTimes, cause);
    return fmt::format("{} times the same after step {}, without a step of progress: {}", kTimes,
                       step, cause);
}

std::string repetitionRemedy(const std::string& remedy, int left) {
    std::string text = remedy.empty() ? "" : remedy + "\n";
    text += "Once that is mended, --resume goes on from the newest checkpoint.";
    if (left > 0)
        text += fmt::format(
            "\nlaunch.max_restarts was not used up ({} left): another start would have met the "
            "same.",
            left);
    return text;
}

}  // namespace lockstep::run
