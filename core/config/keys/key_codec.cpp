// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/key_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/plural.h"
#include "core/base/text.h"

namespace lockstep::config {

namespace {

using Kind = TomlValue::Kind;

constexpr std::size_t kMostNamed = 20;  ///< Wrong elements of one array.

std::string lowerCase(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower;
}

/// 10 as "10", 1e-7 as "1e-07": for sentences.
std::string shownNumber(double number) {
    return fmt::format("{}", number);
}

std::string shownRange(const KeyHelp& help) {
    std::string text;
    if (help.minimum)
        text +=
            fmt::format(" {} {}", help.aboveMinimum ? "above" : "from", shownNumber(*help.minimum));
    if (help.maximum && help.belowMaximum)
        text += fmt::format(" and below {}", shownNumber(*help.maximum));
    else if (help.maximum)
        text += fmt::format("{} {}", help.aboveMinimum ? " and at most" : " to",
                            shownNumber(*help.maximum));
    return text;
}

bool inRange(double number, const KeyHelp& help) {
    if (!std::isfinite(number)) return false;
    if (help.minimum && (help.aboveMinimum ? number <= *help.minimum : number < *help.minimum))
        return false;
    return !help.maximum || (help.belowMaximum ? number < *help.maximum : number <= *help.maximum);
}

bool isOneOf(const std::string& text, const std::vector<std::string>& words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

bool fits(const TomlValue& value, const KeyHelp& help) {
    switch (help.kind) {
        case ValueKind::Integer:
            return value.kind == Kind::Integer && inRange(value.number, help);
        case ValueKind::IntegerOrWord:
            return (value.kind == Kind::Integer && inRange(value.number, help)) ||
                   (value.kind == Kind::String && isOneOf(value.text, help.words));
        case ValueKind::Number:
            return (value.kind == Kind::Integer || value.kind == Kind::Float) &&
                   inRange(value.number, help);
        case ValueKind::Flag:
            return value.kind == Kind::Boolean;
        case ValueKind::Word:
            return value.kind == Kind::String && isOneOf(value.text, help.words);
        default:
            return value.kind == Kind::String;
    }
}

std::string quotedWords(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
        text += fmt::format("\"{}\"", words[i]);
    }
    return text;
}

void trim(std::string& text) {
    text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
    text.erase(text.find_last_not_of(" \t") + 1);
}

}  // namespace

std::string expectation(const KeyHelp& help) {
    switch (help.kind) {
        case ValueKind::Text:
        case ValueKind::Path:
            return "a text in quotes";
        case ValueKind::PathOrTable:
            return "a path in quotes or a table";
        case ValueKind::WordOrTable:
            return quotedWords(help.words) + " or a table of texts";
        case ValueKind::Integer:
            return "a whole number" + shownRange(help);
        case ValueKind::IntegerOrWord:
            return quotedWords(help.words) + " or a whole number" + shownRange(help);
        case ValueKind::Number:
            return "a number" + shownRange(help);
        case ValueKind::Flag:
            return "true or false";
        case ValueKind::Word:
            return quotedWords(help.words);
        case ValueKind::TextList:
            return "an array of texts";
        case ValueKind::NumberList:
            return "an array of numbers from 0";
        case ValueKind::NumberOrPair:
            return fmt::format("a number{}, or two as [lower, upper]", shownRange(help));
        case ValueKind::PixelSize:
            return "[height, width], two whole numbers" + shownRange(help);
        case ValueKind::AddressList:
            return "an array of \"host:port\"";
        case ValueKind::FlagOrAddress:
            return "true, false or \"host:port\"";
        case ValueKind::Table:
            return "a table of tables";
        case ValueKind::TableList:
            return "an array of tables";
        case ValueKind::LayerList:
            break;
    }
    return "an array of layers";
}

Problems checkScalar(const TomlValue& value, const KeyHelp& help) {
    if (fits(value, help)) return {};
    Problem problem{placeOf(value), {}, {}, {}};
    problem.message = fmt::format("is {}, but must be {}", shownValue(value), expectation(help));
    const bool takesWords = help.kind == ValueKind::Word || help.kind == ValueKind::IntegerOrWord;
    if (takesWords && value.kind == Kind::String)
        problem.message += didYouMean(value.text, help.words);
    return {problem};
}

Problems readTextItems(const TomlValue& value,
                       std::vector<std::pair<std::string, const TomlValue*>>& items) {
    if (value.kind == Kind::String) {
        for (std::size_t begin = 0; begin <= value.text.size() && !value.text.empty();) {
            const std::size_t end = std::min(value.text.find(',', begin), value.text.size());
            items.emplace_back(value.text.substr(begin, end - begin), &value);
            trim(items.back().first);
            begin = end + 1;
        }
        return {};
    }
    if (value.kind != Kind::Array)
        return {{placeOf(value),
                 {},
                 fmt::format("is {}, but must be an array of texts", shownValue(value)),
                 {}}};
    Problems problems;
    std::size_t more = 0;
    for (std::size_t i = 0; i < value.elements.size(); ++i) {
        const TomlValue& element = value.elements[i];
        if (element.kind == Kind::String)
            items.emplace_back(element.text, &element);
        else if (problems.size() == kMostNamed)
            ++more;
        else
            problems.push_back(
                {placeOf(element),
                 fmt::format("[{}]", i),
                 fmt::format("is {}, but must be a text in quotes", shownValue(element)),
                 {}});
    }
    if (more > 0)
        problems.push_back({placeOf(value),
                            {},
                            fmt::format("has {} that {} in quotes", counted(more, "more element"),
                                        more == 1 ? "is no text" : "are no texts"),
                            {}});
    return problems;
}

std::optional<std::string> nearestWord(std::string_view word,
                                       const std::vector<std::string>& candidates) {
    const std::string lower = lowerCase(word);
    if (auto nearest = nearestName(lower, candidates)) return nearest;
    for (const std::string& candidate : candidates)
        if (lower.size() >= 3 &&
            (candidate.ends_with("_" + lower) || candidate.starts_with(lower + "_")))
            return candidate;
    return std::nullopt;
}

std::string didYouMean(std::string_view word, const std::vector<std::string>& candidates) {
    const auto nearest = nearestWord(word, candidates);
    return nearest ? fmt::format(", did you mean {}?", *nearest) : std::string();
}

}  // namespace lockstep::config
