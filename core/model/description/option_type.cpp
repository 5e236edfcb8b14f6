// SPDX-License-Identifier: Apache-2.0
#include "core/model/description/option_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"

namespace lockstep::model {

namespace {

using config::TomlValue;
using Kind = TomlValue::Kind;

constexpr std::size_t kMostSizes = 8;
constexpr std::size_t kMostChannels = 4096;

const std::vector<std::string>& factWords() {
    static const std::vector<std::string> kWords{"classes", "vocabulary"};
    return kWords;
}

const std::vector<std::string>& paddingWords() {
    static const std::vector<std::string> kWords{"valid", "same"};
    return kWords;
}

bool isAmong(const TomlValue& value, const std::vector<std::string>& words) {
    return value.kind == Kind::String && std::ranges::find(words, value.text) != words.end();
}

bool inRange(double number, const OptionType& option) {
    return std::isfinite(number) &&
           (option.aboveMinimum ? number > option.minimum : number >= option.minimum) &&
           (option.belowMaximum ? number < option.maximum : number <= option.maximum);
}

bool isInteger(const TomlValue& value, const OptionType& option) {
    return value.kind == Kind::Integer && inRange(value.number, option);
}

bool isNumber(const TomlValue& value, const OptionType& option) {
    return (value.kind == Kind::Integer || value.kind == Kind::Float) &&
           inRange(value.number, option);
}

bool isNumbers(const TomlValue& value, const OptionType& option) {
    if (value.kind != Kind::Array) return isNumber(value, option);
    return !value.elements.empty() && value.elements.size() <= kMostChannels &&
           std::ranges::all_of(value.elements,
                               [&](const TomlValue& v) { return isNumber(v, option); });
}

bool isIntegers(const TomlValue& value, std::size_t count, const OptionType& option) {
    return value.kind == Kind::Array && value.elements.size() == count &&
           std::ranges::all_of(value.elements,
                               [&](const TomlValue& v) { return isInteger(v, option); });
}

bool isExtent(const TomlValue& value, const OptionType& option) {
    return isInteger(value, option) ||
           isIntegers(value, static_cast<std::size_t>(option.rank), option);
}

bool isFrame(const TomlValue& value, const OptionType& option) {
    if (isExtent(value, option)) return true;
    return value.kind == Kind::Array &&
           value.elements.size() == static_cast<std::size_t>(option.rank) &&
           std::ranges::all_of(value.elements,
                               [&](const TomlValue& v) { return isIntegers(v, 2, option); });
}

bool isSizes(const TomlValue& value, const OptionType& option) {
    if (value.kind != Kind::Array || value.elements.empty() || value.elements.size() > kMostSizes)
        return false;
    const auto isOpen = [](const TomlValue& v) {
        return v.kind == Kind::Integer && v.integer == -1;
    };
    return std::ranges::count_if(value.elements, isOpen) <= 1 &&
           std::ranges::all_of(value.elements, [&](const TomlValue& v) {
               return isOpen(v) || isInteger(v, option);
           });
}

bool fits(const TomlValue& value, const OptionType& option) {
    switch (option.kind) {
        case OptionKind::Integer:
            return isInteger(value, option);
        case OptionKind::IntegerOrFact:
            return isInteger(value, option) || isAmong(value, factWords());
        case OptionKind::Number:
            return isNumber(value, option);
        case OptionKind::Numbers:
            return isNumbers(value, option);
        case OptionKind::Flag:
            return value.kind == Kind::Boolean;
        case OptionKind::Word:
            return isAmong(value, option.words);
        case OptionKind::Lengths:
            return isExtent(value, option);
        case OptionKind::Padding:
            return isAmong(value, paddingWords()) || isExtent(value, option);
        case OptionKind::Frame:
            return isFrame(value, option);
        case OptionKind::Sizes:
            return isSizes(value, option);
        case OptionKind::LayerName:
            break;
    }
    return value.kind == Kind::String && !value.text.empty();
}

std::string shownRange(const OptionType& option) {
    const auto shown = [](double number) {
        return std::abs(number) < 1e15 && number == std::floor(number)
                   ? fmt::format("{}", static_cast<std::int64_t>(number))
                   : fmt::format("{}", number);
    };
    return fmt::format(" {} {} {} {}", option.aboveMinimum ? "above" : "from",
                       shown(option.minimum), option.belowMaximum ? "and below" : "to",
                       shown(option.maximum));
}

std::string quoted(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += fmt::format("{}\"{}\"",
                            i == 0                  ? ""
                            : i + 1 == words.size() ? " or "
                                                    : ", ",
                            words[i]);
    return text;
}

std::string extentText(const OptionType& option) {
    return "a whole number" + shownRange(option) +
           (option.rank == 1 ? "" : ", or [height, width] of such");
}

/// ", did you mean same?" where a word was meant.
std::string hint(const TomlValue& value, const OptionType& option) {
    if (value.kind != Kind::String) return {};
    const auto& words = option.kind == OptionKind::Word            ? option.words
                        : option.kind == OptionKind::IntegerOrFact ? factWords()
                        : option.kind == OptionKind::Padding       ? paddingWords()
                                                                   : std::vector<std::string>{};
    std::string lower = value.text;
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const auto nearest = nearestName(lower, words);
    return nearest ? fmt::format(", did you mean {}?", *nearest) : std::string();
}

}  // namespace

std::string expectation(const OptionType& option) {
    switch (option.kind) {
        case OptionKind::Integer:
            return "a whole number" + shownRange(option);
        case OptionKind::IntegerOrFact:
            return "a whole number" + shownRange(option) + ", \"classes\" or \"vocabulary\"";
        case OptionKind::Number:
            return "a number" + shownRange(option);
        case OptionKind::Numbers:
            return "a number" + shownRange(option) + ", or an array with one for each channel";
        case OptionKind::Flag:
            return "true or false";
        case OptionKind::Word:
            return quoted(option.words);
        case OptionKind::Lengths:
            return extentText(option);
        case OptionKind::Padding:
            return "\"valid\", \"same\", " + extentText(option);
        case OptionKind::Frame:
            return extentText(option) + ", or [[above, below], [left, right]]";
        case OptionKind::Sizes:
            return fmt::format("an array of up to {} whole numbers{}, of which one may be -1",
                               kMostSizes, shownRange(option));
        case OptionKind::LayerName:
            break;
    }
    return "the name of an earlier layer";
}

std::optional<std::string> misfit(const TomlValue& value, const OptionType& option) {
    if (fits(value, option)) return std::nullopt;
    return fmt::format("is {}, but must be {}{}", config::shownValue(value), expectation(option),
                       hint(value, option));
}

}  // namespace lockstep::model
