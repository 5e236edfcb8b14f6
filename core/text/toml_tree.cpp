// SPDX-License-Identifier: Apache-2.0
#include "core/text/toml_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/base/text.h"

// Compiled in, not linked: only so do these macros hold. The parser recurses, and so do the
// destructors of what it built, hence the limit. Its assertions are off in every build, and never
// assumptions for the optimizer: "[" at a line's end breaks one, and is an error that it reports.
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#define TOML_HEADER_ONLY 1
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>

namespace lockstep::config {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr int kMaxKeyParts = 16;
constexpr std::size_t kShownCharacters = 60;

/// Whether the byte goes on with a character that an earlier byte began (UTF-8).
bool isContinuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// Byte offsets of the parser's lines and columns (which count characters). All are worked out
/// once: a line may hold as many values as the whole file.
class TextIndex {
public:
    explicit TextIndex(std::string_view text) : size_(text.size()) {
        const std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
        lines_.push_back(0);
        for (std::size_t i = begin; i < text.size(); ++i) {
            if (isContinuation(text[i])) continue;
            characters_.push_back(static_cast<std::uint32_t>(i));
            if (text[i] == '\n') lines_.push_back(characters_.size());
        }
    }

    [[nodiscard]] std::size_t offset(const ::toml::source_position& position) const {
        const std::size_t line = std::clamp<std::size_t>(position.line, 1, lines_.size());
        const std::size_t column = position.column > 1 ? position.column - 1 : 0;
        const std::size_t character = lines_[line - 1] + column;
        return character < characters_.size() ? characters_[character] : size_;
    }
    [[nodiscard]] TextSpan span(const ::toml::source_region& region) const {
        return {offset(region.begin), offset(region.end)};
    }

private:
    std::size_t size_;
    std::vector<std::uint32_t> characters_;  ///< Where each begins; a job file is below 4 GiB.
    std::vector<std::size_t> lines_;         ///< The first character of each.
};

TomlValue convert(const ::toml::node& node, const TextIndex& index);

void convertTable(const ::toml::table& table, const TextIndex& index, TomlValue& value) {
    value.kind = TomlValue::Kind::Table;
    value.isInline = table.is_inline();
    for (const auto& [key, child] : table) {
        TomlEntry entry;
        entry.key = std::string(key.str());
        entry.line = static_cast<int>(key.source().begin.line);
        entry.column = static_cast<int>(key.source().begin.column);
        entry.keySpan = index.span(key.source());
        entry.value = convert(child, index);
        value.entries.push_back(std::move(entry));
    }
    std::sort(
        value.entries.begin(), value.entries.end(),
        [](const TomlEntry& a, const TomlEntry& b) { return a.keySpan.begin < b.keySpan.begin; });
}

void convertArray(const ::toml::array& array, const TextIndex& index, TomlValue& value) {
    value.kind = TomlValue::Kind::Array;
    for (const ::toml::node& element : array)
        value.elements.push_back(convert(element, index));
    value.isInline = value.elements.empty() ||
                     value.elements.front().kind != TomlValue::Kind::Table ||
                     value.elements.front().isInline;
}

TomlValue convert(const ::toml::node& node, const TextIndex& index) {
    TomlValue value;
    value.line = static_cast<int>(node.source().begin.line);
    value.column = static_cast<int>(node.source().begin.column);
    value.span = index.span(node.source());
    if (const auto* table = node.as_table()) {
        convertTable(*table, index, value);
    } else if (const auto* array = node.as_array()) {
        convertArray(*array, index, value);
    } else if (const auto* text = node.as_string()) {
        value.kind = TomlValue::Kind::String;
        value.text = text->get();
    } else if (const auto* integer = node.as_integer()) {
        value.kind = TomlValue::Kind::Integer;
        value.integer = integer->get();
        value.number = static_cast<double>(value.integer);
    } else if (const auto* number = node.as_floating_point()) {
        value.kind = TomlValue::Kind::Float;
        value.number = number->get();
    } else if (const auto* flag = node.as_boolean()) {
        value.kind = TomlValue::Kind::Boolean;
        value.flag = flag->get();
    } else {
        value.kind = TomlValue::Kind::Moment;
    }
    return value;
}

/// The end of the string that starts at `begin` (a quote), or the text's end.
std::size_t skipString(std::string_view text, std::size_t begin) {
    const char quote = text[begin];
    const std::string three(3, quote);
    const bool multiLine = text.substr(begin, 3) == three;
    std::size_t i = begin + (multiLine ? 3 : 1);
    while (i < text.size()) {
        if (text[i] == '\\' && quote == '"') {
            i += 2;
        } else if (multiLine && text.substr(i, 3) == three) {
            i += 3;
            // Up to two quotes of its own may end the string before the three that close it.
            for (int own = 0; own < 2 && i < text.size() && text[i] == quote; ++own)
                ++i;
            return i;
        } else if (!multiLine && (text[i] == quote || text[i] == '\n')) {
            return i + 1;
        } else {
            ++i;
        }
    }
    return text.size();
}

TomlSyntaxError errorAt(std::string_view text, std::size_t at, std::string message) {
    const std::string_view before = text.substr(0, at);
    const std::size_t lineBegin = before.rfind('\n') + 1;  // npos + 1 is the text's begin
    const std::string_view inLine = before.substr(lineBegin);
    const auto characters =
        std::count_if(inLine.begin(), inLine.end(), [](char c) { return !isContinuation(c); });
    return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
            static_cast<int>(characters) + 1, std::move(message)};
}

/// What the parser must not be given. A key's dotted parts are tables within tables, and it sets
/// no limit to them; a letter beyond ASCII outside of quotes is an error in TOML, but undefined
/// behaviour in the parser's tables of blanks (3.3).
std::optional<TomlSyntaxError> findUnparsable(std::string_view text) {
    int dots = 0;
    for (std::size_t i = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
         i < text.size();) {
        const char c = text[i];
        if (c == '"' || c == '\'') {
            i = skipString(text, i);
            continue;
        }
        if (c == '#') {
            i = std::min(text.find('\n', i), text.size());
            continue;
        }
        if ((static_cast<unsigned char>(c) & 0x80) != 0)
            return errorAt(text, i, "letters beyond a to z must stand in quotes");
        if (c == '.' && ++dots >= kMaxKeyParts)
            return errorAt(text, i, fmt::format("a key has more than {} parts", kMaxKeyParts));
        if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos) dots = 0;
        ++i;
    }
    return std::nullopt;
}

/// "Error while parsing array: expected …" as "expected … (while reading array)".
std::string clause(std::string_view description) {
    constexpr std::string_view kPrefix = "Error while parsing ";
    const std::size_t colon = description.find(": ");
    if (!description.starts_with(kPrefix) || colon == std::string_view::npos)
        return sanitizeLine(description);
    return sanitizeLine(fmt::format("{} (while reading {})", description.substr(colon + 2),
                                    description.substr(kPrefix.size(), colon - kPrefix.size())));
}

}  // namespace

const TomlValue* TomlValue::find(std::string_view key) const {
    for (const TomlEntry& entry : entries)
        if (entry.key == key) return &entry.value;
    return nullptr;
}

tl::expected<TomlValue, TomlSyntaxError> parseToml(std::string_view text) {
    if (auto unparsable = findUnparsable(text)) return tl::unexpected(std::move(*unparsable));
    try {
        const ::toml::table root = ::toml::parse(text, std::string_view());
        return convert(root, TextIndex(text));
    } catch (const ::toml::parse_error& error) {
        const auto& place = error.source().begin;
        return tl::unexpected(TomlSyntaxError{static_cast<int>(place.line),
                                              static_cast<int>(place.column),
                                              clause(error.description())});
    }
}

bool sameValue(const TomlValue& a, const TomlValue& b) {
    using Kind = TomlValue::Kind;
    if (a.kind != b.kind) return false;
    switch (a.kind) {
        case Kind::String:
            return a.text == b.text;
        case Kind::Integer:
            return a.integer == b.integer;
        case Kind::Float:
            return a.number == b.number || (a.number != a.number && b.number != b.number);
        case Kind::Boolean:
            return a.flag == b.flag;
        case Kind::Moment:
            return false;  // no key takes one; unequal means it is written again
        case Kind::Array:
            return std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(),
                              b.elements.end(), sameValue);
        case Kind::Table:
            break;
    }
    if (a.entries.size() != b.entries.size()) return false;
    return std::all_of(a.entries.begin(), a.entries.end(), [&b](const TomlEntry& entry) {
        const TomlValue* other = b.find(entry.key);
        return other != nullptr && sameValue(entry.value, *other);
    });
}

std::string shownValue(const TomlValue& value) {
    using Kind = TomlValue::Kind;
    switch (value.kind) {
        case Kind::String: {
            const std::string shown = sanitizeLine(value.text, kShownCharacters);
            return fmt::format("\"{}{}\"", shown, shown.size() < value.text.size() ? "…" : "");
        }
        case Kind::Integer:
            return fmt::format("{}", value.integer);
        case Kind::Float:
            return fmt::format("{}", value.number);
        case Kind::Boolean:
            return value.flag ? "true" : "false";
        case Kind::Moment:
            return "a date or time";
        case Kind::Array:
            return value.elements.empty() ? "an empty array" : "an array";
        case Kind::Table:
            break;
    }
    return "a table";
}

}  // namespace lockstep::config
