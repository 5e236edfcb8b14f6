// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/config/job/job_spec.h"
#include "core/config/keys/key_help.h"
#include "core/text/toml_text.h"
#include "core/text/toml_tree.h"

namespace lockstep::config {

/// What is wrong with a key's value. The message goes on where the key's name ends:
/// "is 0, but must be a whole number from 1 to 1000000".
struct Problem {
    TextPlace place;     ///< Of the value, or of the key that should not be there.
    std::string suffix;  ///< Of the key: "[1].units"; empty: the key itself.
    std::string message;
    std::string remedy;  ///< Empty: what the key's help can say.
};
using Problems = std::vector<Problem>;

/// One key: its help, and how its value is read from TOML into an Object and written back. `read`
/// leaves the object as it was when it finds a problem. `write` gives an empty string for a value
/// left open.
template <typename Object>
struct Key {
    KeyHelp help;
    std::function<Problems(const TomlValue&, Object&)> read;
    std::function<std::string(const Object&)> write;
};

/// A word of the job file and the value of an enumeration that it stands for.
template <typename Enum>
struct Word {
    std::string word;
    Enum value{};
};

/// Range of a number; `minimum` and `maximum` are allowed unless excluded.
struct Range {
    double minimum = 0;
    double maximum = 0;
    bool aboveMinimum = false;
    bool belowMaximum = false;
};

/// "a whole number from 1 to 64", "a number above 0": what the help's kind and range allow.
[[nodiscard]] std::string expectation(const KeyHelp& help);

/// "is 0, but must be a whole number from 1 to 64", or nothing when the value fits the help.
[[nodiscard]] Problems checkScalar(const TomlValue& value, const KeyHelp& help);

/// The candidate that was meant: mistyped, in capitals, or cut short ("batch_size").
[[nodiscard]] std::optional<std::string> nearestWord(std::string_view word,
                                                     const std::vector<std::string>& candidates);

/// The items of an array of strings, or of one string with commas. Other elements are problems.
[[nodiscard]] Problems readTextItems(const TomlValue& value,
                                     std::vector<std::pair<std::string, const TomlValue*>>& items);

// The forms of value that job and layer keys have in common. `member` is a callable that gives
// the variable: member(object) -> T&.

/// `at<&JobSpec::training, &TrainingSpec::epochs>` is the variable of an object, const or not.
template <auto... Members>
constexpr auto at = [](auto& object) -> auto& {
    return (object.*....*Members);
};

/// Gives a key its name, unit and help.
template <typename Object>
Key<Object> named(std::string name, std::string unit, std::string help, Key<Object> key) {
    key.help.key = std::move(name);
    key.help.unit = std::move(unit);
    key.help.help = std::move(help);
    return key;
}

template <typename Object, typename Member>
Key<Object> integerKey(Member member, Range range) {
    Key<Object> key;
    key.help.kind = ValueKind::Integer;
    key.help.minimum = range.minimum;
    key.help.maximum = range.maximum;
    const KeyHelp help = key.help;
    key.read = [member, help](const TomlValue& value, Object& object) {
        Problems problems = checkScalar(value, help);
        auto& variable = member(object);
        if (problems.empty())
            variable = static_cast<std::remove_reference_t<decltype(variable)>>(value.integer);
        return problems;
    };
    key.write = [member](const Object& object) { return std::to_string(member(object)); };
    return key;
}

template <typename Object, typename Member>
Key<Object> numberKey(Member member, Range range) {
    Key<Object> key;
    key.help.kind = ValueKind::Number;
    key.help.minimum = range.minimum;
    key.help.maximum = range.maximum;
    key.help.aboveMinimum = range.aboveMinimum;
    key.help.belowMaximum = range.belowMaximum;
    const KeyHelp help = key.help;
    key.read = [member, help](const TomlValue& value, Object& object) {
        Problems problems = checkScalar(value, help);
        if (problems.empty()) member(object) = value.number;
        return problems;
    };
    key.write = [member](const Object& object) { return tomlNumber(member(object)); };
    return key;
}

template <typename Object, typename Member>
Key<Object> flagKey(Member member) {
    Key<Object> key;
    key.help.kind = ValueKind::Flag;
    const KeyHelp help = key.help;
    key.read = [member, help](const TomlValue& value, Object& object) {
        Problems problems = checkScalar(value, help);
        if (problems.empty()) member(object) = value.flag;
        return problems;
    };
    key.write = [member](const Object& object) {
        return std::string(member(object) ? "true" : "false");
    };
    return key;
}

/// `words` are all that is allowed; the variable is the enumeration that `member` gives.
template <typename Object, typename Member,
          typename Enum = std::remove_reference_t<std::invoke_result_t<Member, Object&>>>
Key<Object> wordKey(Member member, std::initializer_list<Word<std::type_identity_t<Enum>>> list) {
    const std::vector<Word<Enum>> words(list);
    Key<Object> key;
    key.help.kind = ValueKind::Word;
    for (const Word<Enum>& word : words)
        key.help.words.push_back(word.word);
    const KeyHelp help = key.help;
    key.read = [member, help, words](const TomlValue& value, Object& object) {
        Problems problems = checkScalar(value, help);
        for (const Word<Enum>& word : words)
            if (problems.empty() && word.word == value.text) member(object) = word.value;
        return problems;
    };
    key.write = [member, words](const Object& object) {
        for (const Word<Enum>& word : words)
            if (word.value == member(object)) return '"' + word.word + '"';
        return std::string();
    };
    return key;
}

/// `words`: what is allowed; none: any text. An empty text is a value left open.
template <typename Object, typename Member>
Key<Object> textKey(Member member, ValueKind kind, std::vector<std::string> words = {}) {
    Key<Object> key;
    key.help.kind = kind;
    key.help.words = std::move(words);
    const KeyHelp help = key.help;
    key.read = [member, help](const TomlValue& value, Object& object) {
        Problems problems = checkScalar(value, help);
        if (problems.empty()) member(object) = value.text;
        return problems;
    };
    key.write = [member](const Object& object) {
        const std::string& text = member(object);
        return text.empty() ? std::string() : tomlString(text);
    };
    return key;
}

/// An array of strings, or one string with commas.
template <typename Object, typename Member>
Key<Object> textListKey(Member member) {
    Key<Object> key;
    key.help.kind = ValueKind::TextList;
    key.read = [member](const TomlValue& value, Object& object) {
        std::vector<std::pair<std::string, const TomlValue*>> items;
        Problems problems = readTextItems(value, items);
        std::vector<std::string> texts;
        for (auto& [text, element] : items)
            texts.push_back(text);
        if (problems.empty()) member(object) = std::move(texts);
        return problems;
    };
    key.write = [member](const Object& object) {
        std::string text;
        for (const std::string& item : member(object))
            text += (text.empty() ? "" : ", ") + tomlString(item);
        return "[" + text + "]";
    };
    return key;
}

}  // namespace lockstep::config
