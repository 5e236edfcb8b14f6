// SPDX-License-Identifier: Apache-2.0
#include "core/text/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/text/plain_text.h"

namespace lockstep::text {

namespace {

constexpr std::size_t kLargest = 1'000'000;
constexpr int kDeepest = 32;
constexpr int kMostValues = 100'000;

/// What YAML 1.1 takes for a boolean or null where it stands without quotes.
constexpr std::array<std::string_view, 10> kWords = {"y",   "n",    "yes",   "no",   "on",
                                                     "off", "true", "false", "null", "nan"};

/// Whether the text needs no quotes: a name or path that nobody takes for anything else.
bool isPlain(const std::string& text) {
    const auto isLetter = [](unsigned char c) { return c < 0x80 && std::isalpha(c) != 0; };
    const auto isPart = [](unsigned char c) {
        return c < 0x80 && (std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '/');
    };
    if (text.empty() || (!isLetter(text.front()) && text.front() != '/')) return false;
    std::string lower = text;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return std::ranges::all_of(text, isPart) && std::ranges::find(kWords, lower) == kWords.end();
}

/// Control characters, and what some readers take for an end of a line: only an escape keeps them.
bool needsEscapes(std::string_view text) {
    constexpr std::array<std::string_view, 3> kMarks = {"\u2028", "\u2029", "\uFEFF"};
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const bool isControl = (byte < 0x20 && byte != '\n') || byte == 0x7F ||
                               (byte == 0xC2 && text.substr(i + 1) < "\xA0");
        const bool isMark = std::ranges::any_of(
            kMarks, [&](std::string_view mark) { return text.substr(i).starts_with(mark); });
        if (isControl || isMark) return true;
    }
    return false;
}

/// Whether the text can stand line by line.
bool suitsBlock(std::string_view text) {
    const bool isLines = text.size() > 1 && text.ends_with('\n') && !text.ends_with("\n\n");
    return isLines && text.front() != ' ' && text.front() != '\n' && !needsEscapes(text);
}

void writeText(YAML::Emitter& out, const std::string& text) {
    if (suitsBlock(text))
        out << YAML::Literal;
    else if (!isPlain(text))
        out << YAML::EscapeNonAscii << YAML::DoubleQuoted;
    out << text;
}

void write(YAML::Emitter& out, const YamlValue& value);

void writeMap(YAML::Emitter& out, const YamlMap& map) {
    out << YAML::BeginMap;
    for (const YamlEntry& entry : map) {
        out << YAML::Key;
        writeText(out, entry.key);
        out << YAML::Value;
        write(out, entry.value);
        if (!entry.comment.empty()) out << YAML::Comment(sanitizeLine(entry.comment));
    }
    out << YAML::EndMap;
}

void write(YAML::Emitter& out, const YamlValue& value) {
    if (const auto* map = std::get_if<YamlMap>(&value.value())) return writeMap(out, *map);
    if (const auto* text = std::get_if<std::string>(&value.value())) return writeText(out, *text);
    if (const auto* truth = std::get_if<bool>(&value.value())) {
        out << *truth;
    } else if (const auto* number = std::get_if<std::int64_t>(&value.value())) {
        out << *number;
    } else if (const auto* list = std::get_if<YamlList>(&value.value())) {
        out << YAML::BeginSeq;
        for (const YamlValue& item : *list)
            write(out, item);
        out << YAML::EndSeq;
    }
}

/// Takes nodes over; an alias counts as often as it is used, so that no few lines fill the memory.
class Reader {
public:
    Result<Json> read(const YAML::Node& node, int depth = 0) {
        if (depth > kDeepest)
            return fail(ErrorCode::Corrupt,
                        fmt::format("it is nested more than {} levels deep", kDeepest));
        if (++values_ > kMostValues)
            return fail(ErrorCode::Corrupt, fmt::format("it has more than {} values", kMostValues));
        if (node.IsScalar()) return Json(node.Scalar());
        if (node.IsMap()) return readMap(node, depth);
        Json value;
        if (node.IsSequence())
            for (const YAML::Node& item : node)
                value.push(TRY(read(item, depth + 1)));
        return value;
    }

private:
    Result<Json> readMap(const YAML::Node& node, int depth) {
        Json value = Json::Object();
        for (const auto& entry : node) {
            const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "?";
            if (value.has(key))
                return fail(ErrorCode::Corrupt,
                            fmt::format("\"{}\" is in it twice", sanitizeLine(key, 60)));
            value[key] = TRY(read(entry.second, depth + 1));
        }
        return value;
    }

    int values_ = 0;
};

}  // namespace

YamlValue::YamlValue(bool value) : value_(value) {}
YamlValue::YamlValue(int value) : value_(std::int64_t{value}) {}
YamlValue::YamlValue(const char* text) : value_(std::string(text)) {}
YamlValue::YamlValue(std::string text) : value_(std::move(text)) {}
YamlValue::YamlValue(YamlMap map) : value_(std::move(map)) {}
YamlValue::YamlValue(YamlList list) : value_(std::move(list)) {}

std::string writeYaml(const std::vector<YamlDocument>& documents) {
    std::string text;
    for (const YamlDocument& document : documents) {
        if (!text.empty()) text += "---\n";
        for (const std::string_view line : config::linesOf(document.comment))
            text += fmt::format("# {}\n", sanitizeLine(line));
        YAML::Emitter out;
        writeMap(out, document.map);
        text += fmt::format("{}\n", out.c_str());
    }
    return text;
}

Result<std::vector<Json>> parseYaml(std::string_view text) {
    if (text.size() > kLargest)
        return fail(ErrorCode::Corrupt, fmt::format("it has more than {} bytes", kLargest));
    std::vector<Json> documents;
    try {
        Reader reader;
        for (const YAML::Node& node : YAML::LoadAll(std::string(text)))
            documents.push_back(TRY(reader.read(node)));
    } catch (const YAML::Exception& error) {
        return fail(ErrorCode::Corrupt,
                    fmt::format("it is not YAML: line {}: {}", error.mark.line + 1, error.msg));
    } catch (const std::exception&) {
        return fail(ErrorCode::Corrupt, "it is not YAML");
    }
    return documents;
}

}  // namespace lockstep::text
