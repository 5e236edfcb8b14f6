// SPDX-License-Identifier: Apache-2.0
#include "core/text/text_patch.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/text_layout.h"

namespace lockstep::config {

namespace {

using Kind = TomlValue::Kind;

std::string slice(const NewValue& value, const TomlValue& part) {
    return std::string(value.text.substr(part.span.begin, part.span.end - part.span.begin));
}

void append(std::vector<TextEdit>& edits, std::vector<TextEdit> more) {
    for (TextEdit& edit : more)
        edits.push_back(std::move(edit));
}

class Patcher {
public:
    Patcher(std::string_view text, const NewValue& value)
        : text_(text), layout_(text), value_(value) {}

    /// Makes `old` mean `wanted`, a part of the new value.
    [[nodiscard]] std::vector<TextEdit> change(const TomlValue& old,
                                               const TomlValue& wanted) const {
        if (sameValue(old, wanted)) return {};
        if (old.kind == Kind::Array && wanted.kind == Kind::Array && old.isInline)
            return changeArray(old, wanted);
        if (old.kind == Kind::Table && wanted.kind == Kind::Table && sameKeys(old, wanted))
            return changeTable(old, wanted);
        return {{old.span.begin, old.span.end - old.span.begin, slice(value_, wanted)}};
    }

private:
    [[nodiscard]] static bool sameKeys(const TomlValue& a, const TomlValue& b) {
        return a.entries.size() == b.entries.size() &&
               std::all_of(a.entries.begin(), a.entries.end(),
                           [&b](const TomlEntry& entry) { return b.find(entry.key) != nullptr; });
    }

    [[nodiscard]] std::vector<TextEdit> changeTable(const TomlValue& old,
                                                    const TomlValue& wanted) const {
        std::vector<TextEdit> edits;
        for (const TomlEntry& entry : old.entries)
            append(edits, change(entry.value, *wanted.find(entry.key)));
        return edits;
    }

    [[nodiscard]] std::vector<TextEdit> changeArray(const TomlValue& old,
                                                    const TomlValue& wanted) const {
        std::vector<TextEdit> edits;
        const std::size_t common = std::min(old.elements.size(), wanted.elements.size());
        for (std::size_t i = 0; i < common; ++i)
            append(edits, change(old.elements[i], wanted.elements[i]));
        for (std::size_t i = common; i < old.elements.size(); ++i)
            append(edits, removeElement(old, i, i == common));
        if (common < wanted.elements.size()) append(edits, addElements(old, wanted, common));
        return edits;
    }

    /// The element, its comma and its blanks; or its whole line when nothing else stands there.
    [[nodiscard]] std::vector<TextEdit> removeElement(const TomlValue& array, std::size_t i,
                                                      bool firstRemoved) const {
        const TextSpan span = array.elements[i].span;
        const std::size_t comma = layout_.behindComma(span.end);
        const std::size_t valueEnd = layout_.skipBlanks(span.end);
        const bool commaIsNext = comma != 0 && comma == valueEnd + 1;
        const std::size_t end = commaIsNext ? comma : span.end;
        std::vector<TextEdit> edits;
        if (comma != 0 && !commaIsNext) edits.push_back({comma - 1, 1, ""});
        if (layout_.startsItsLine(span.begin) && layout_.skipBlanks(end) == layout_.lineEnd(end)) {
            const std::size_t begin = layout_.lineBegin(span.begin);
            const std::size_t next = text_.find('\n', end);
            edits.push_back({begin, (next == std::string_view::npos ? end : next + 1) - begin, ""});
            return edits;
        }
        // The blanks in front go too, unless a line's indent or a comment stands there.
        const std::size_t before = i > 0 ? array.elements[i - 1].span.end : span.begin;
        const std::size_t lastInk = text_.find_last_not_of(TextLayout::kBlanks, span.begin - 1) + 1;
        const bool tight = !layout_.startsItsLine(span.begin) && lastInk >= before;
        std::size_t begin = tight && i > 0 ? lastInk : span.begin;
        const bool trailingComma = layout_.behindComma(array.elements.back().span.end) != 0;
        if (tight && i > 0 && firstRemoved && !trailingComma && text_[begin - 1] == ',') --begin;
        edits.push_back({begin, end - begin, ""});
        return edits;
    }

    [[nodiscard]] std::vector<TextEdit> addElements(const TomlValue& array, const TomlValue& wanted,
                                                    std::size_t first) const {
        std::string items;
        const TomlValue* last = first > 0 ? &array.elements[first - 1] : nullptr;
        const bool ownLines = last != nullptr && layout_.startsItsLine(last->span.begin);
        const std::string separator =
            ownLines ? fmt::format(",{}{}", layout_.newline(), layout_.indent(last->span.begin))
                     : ", ";
        for (std::size_t i = first; i < wanted.elements.size(); ++i)
            items += (i > first ? separator : "") + slice(value_, wanted.elements[i]);
        if (last == nullptr) return {{array.span.begin + 1, 0, items}};

        const std::size_t comma = layout_.behindComma(last->span.end);
        const std::size_t end = comma != 0 ? comma : last->span.end;
        if (!ownLines || !layout_.endsItsLine(end)) {
            const std::string lead = ownLines ? separator.substr(1) : " ";
            return {{end, 0, comma != 0 ? lead + items + "," : "," + lead + items}};
        }
        std::vector<TextEdit> edits;
        if (comma == 0) edits.push_back({end, 0, ","});
        edits.push_back(
            {layout_.lineEnd(end), 0, separator.substr(1) + items + (comma != 0 ? "," : "")});
        return edits;
    }

    std::string_view text_;
    TextLayout layout_;
    const NewValue& value_;
};

/// The table's own "[section]" header, not one of a table within it and not a dotted key.
bool hasHeader(std::string_view text, const TomlValue& table, const std::string& section) {
    std::string header(text.substr(table.span.begin, table.span.end - table.span.begin));
    std::erase_if(header, [](char c) {
        return std::string_view("[] \t\"'").find(c) != std::string_view::npos;
    });
    return text[table.span.begin] == '[' && header == section;
}

/// The last entry that is a line of the table itself.
const TomlEntry* lastLine(const TomlValue& table) {
    const TomlEntry* last = nullptr;
    for (const TomlEntry& entry : table.entries) {
        const bool plain = entry.value.kind != Kind::Table && entry.value.kind != Kind::Array;
        if (plain || entry.value.isInline) last = &entry;
    }
    return last;
}

TextEdit newLineBehind(std::string_view text, std::size_t at, const std::string& line) {
    const TextLayout layout(text);
    return {layout.lineEnd(at), 0,
            fmt::format("{}{}{}", layout.newline(), layout.indent(at), line)};
}

TextEdit addInline(const TomlValue& table, const std::string& line) {
    if (table.entries.empty()) return {table.span.begin + 1, 0, " " + line + " "};
    return {table.entries.back().value.span.end, 0, ", " + line};
}

/// A section at the end of the text.
TextEdit newSection(std::string_view text, const std::string& section, const std::string& line) {
    const std::string_view newline = TextLayout(text).newline();
    std::string inserted;
    if (!text.empty() && !text.ends_with('\n')) inserted += newline;
    if (!text.empty()) inserted += newline;
    inserted += fmt::format("[{}]{}{}{}", section, newline, line, newline);
    return {text.size(), 0, inserted};
}

}  // namespace

std::vector<TextEdit> editsToSet(std::string_view text, const TomlValue& root,
                                 const std::string& section, const std::string& name,
                                 const NewValue& value) {
    const std::string line = fmt::format("{} = {}", name, slice(value, value.tree));
    const TomlValue* table = root.find(section);
    if (table == nullptr) return {newSection(text, section, line)};
    if (const TomlValue* old = table->find(name))
        return Patcher(text, value).change(*old, value.tree);
    if (table->isInline) return {addInline(*table, line)};
    const TomlEntry* last = lastLine(*table);
    if (hasHeader(text, *table, section))
        return {
            newLineBehind(text, last != nullptr ? last->value.span.end : table->span.end, line)};
    if (last == nullptr) return {newSection(text, section, line)};
    return {newLineBehind(text, last->value.span.end, section + "." + line)};
}

std::vector<TextEdit> editsToSetIn(std::string_view text, const TomlValue& table,
                                   const std::string& name, const NewValue& value) {
    if (const TomlValue* old = table.find(name))
        return Patcher(text, value).change(*old, value.tree);
    const std::string line = fmt::format("{} = {}", name, slice(value, value.tree));
    if (table.isInline) return {addInline(table, line)};
    const TomlEntry* last = lastLine(table);
    return {newLineBehind(text, last != nullptr ? last->value.span.end : table.span.end, line)};
}

std::vector<TextEdit> editsToUnset(std::string_view text, const TomlValue& table,
                                   const std::string& name) {
    const auto entry = std::find_if(table.entries.begin(), table.entries.end(),
                                    [&name](const TomlEntry& e) { return e.key == name; });
    if (entry == table.entries.end()) return {};
    const std::size_t end = entry->value.span.end;
    if (table.isInline) {
        std::size_t begin = entry->keySpan.begin;
        if (entry != table.entries.begin()) begin = std::prev(entry)->value.span.end;
        const bool onlyFirst =
            entry == table.entries.begin() && std::next(entry) != table.entries.end();
        return {{begin, (onlyFirst ? std::next(entry)->keySpan.begin : end) - begin, ""}};
    }
    const TextLayout layout(text);
    const std::size_t begin = layout.lineBegin(entry->keySpan.begin);
    const std::size_t rest = layout.skipBlanks(end);
    if (rest < text.size() && text[rest] == '#') return {{begin, rest - begin, ""}};
    const std::size_t next = text.find('\n', end);
    return {{begin, (next == std::string_view::npos ? text.size() : next + 1) - begin, ""}};
}

std::vector<TextEdit> fromTheEnd(std::vector<TextEdit> edits) {
    std::reverse(edits.begin(), edits.end());
    std::stable_sort(edits.begin(), edits.end(),
                     [](const TextEdit& a, const TextEdit& b) { return a.at > b.at; });
    return edits;
}

std::string applyEdits(std::string_view text, std::vector<TextEdit> edits) {
    std::string result(text);
    for (const TextEdit& edit : fromTheEnd(std::move(edits)))
        result.replace(edit.at, edit.removed, edit.inserted);
    return result;
}

}  // namespace lockstep::config
