// SPDX-License-Identifier: Apache-2.0
#include "core/text/array_patch.h"

#include <algorithm>

#include "core/text/text_layout.h"

namespace lockstep::config {

namespace {

std::string_view sliceOf(std::string_view text, TextSpan span) {
    return text.substr(span.begin, span.end - span.begin);
}

/// The item with its further lines moved to the right by `indent`.
std::string indented(std::string_view item, std::string_view indent, std::string_view newline) {
    std::string result;
    for (const char c : item) {
        if (c == '\r') continue;
        if (c == '\n')
            result.append(newline).append(indent);
        else
            result += c;
    }
    return result;
}

/// An element and where its comma ends, or where it ends itself.
struct Slot {
    TextSpan element;
    std::size_t end = 0;
    bool hasComma = false;     ///< Somewhere behind it.
    bool commaIsNext = false;  ///< Directly behind it.
    bool hasOwnLines = false;  ///< Nothing but a comment stands on its lines besides.
};

Slot slotOf(std::string_view text, const TomlValue& element) {
    const TextLayout layout(text);
    Slot slot{.element = element.span, .end = element.span.end};
    const std::size_t comma = layout.behindComma(slot.end);
    slot.hasComma = comma != 0;
    slot.commaIsNext = comma != 0 && comma == layout.skipBlanks(slot.end) + 1;
    if (slot.commaIsNext) slot.end = comma;
    slot.hasOwnLines = layout.startsItsLine(slot.element.begin) && layout.endsItsLine(slot.end) &&
                       (slot.commaIsNext || !slot.hasComma);
    return slot;
}

std::vector<TextEdit> insertFirst(std::string_view text, const TomlValue& array,
                                  std::string_view item) {
    const TextLayout layout(text);
    const std::string newline(layout.newline());
    const bool isEmpty = array.elements.empty();
    const bool hasLines = sliceOf(text, array.span).find('\n') != std::string_view::npos;
    const bool ownLines =
        isEmpty ? hasLines : layout.startsItsLine(array.elements.front().span.begin);
    std::string indent(layout.indent(isEmpty ? array.span.begin : array.elements[0].span.begin));
    if (ownLines) {
        if (isEmpty) indent += "  ";
        return {{layout.lineEnd(array.span.begin), 0,
                 newline + indent + indented(item, indent, newline) + ","}};
    }
    return {{array.span.begin + 1, 0,
             indented(item, indent, newline) + (isEmpty ? std::string() : ", ")}};
}

/// The comment behind a slot with its blanks, or nothing.
TextSpan tailOf(std::string_view text, const Slot& slot) {
    return {slot.end, TextLayout(text).lineEnd(slot.end)};
}

}  // namespace

std::string itemText(std::string_view text, const TomlValue& element) {
    const std::string_view indent = TextLayout(text).indent(element.span.begin);
    std::string result;
    std::string_view rest = sliceOf(text, element.span);
    while (true) {
        const std::size_t lineEnd = rest.find('\n');
        result += rest.substr(0, lineEnd);
        if (lineEnd == std::string_view::npos) break;
        if (result.ends_with('\r')) result.pop_back();
        result += '\n';
        rest.remove_prefix(lineEnd + 1);
        if (rest.starts_with(indent)) rest.remove_prefix(indent.size());
    }
    return result;
}

std::vector<TextEdit> editsToInsert(std::string_view text, const TomlValue& array,
                                    std::size_t index, std::string_view item) {
    if (index == 0) return insertFirst(text, array, item);
    const TextLayout layout(text);
    const Slot before = slotOf(text, array.elements[index - 1]);
    const std::string indent(layout.indent(before.element.begin));
    const std::string newText = indented(item, indent, layout.newline());
    if (!before.hasOwnLines) {
        const std::size_t end =
            before.hasComma ? layout.behindComma(before.element.end) : before.element.end;
        return {{end, 0, before.hasComma ? " " + newText + "," : ", " + newText}};
    }
    std::vector<TextEdit> edits;
    if (!before.hasComma) edits.push_back({before.element.end, 0, ","});
    edits.push_back(
        {layout.lineEnd(before.end), 0,
         std::string(layout.newline()) + indent + newText + (before.hasComma ? "," : "")});
    return edits;
}

std::vector<TextEdit> editsToErase(std::string_view text, const TomlValue& array,
                                   std::size_t index) {
    const TextLayout layout(text);
    const Slot slot = slotOf(text, array.elements[index]);
    if (slot.hasOwnLines) {
        const std::size_t begin = layout.lineBegin(slot.element.begin);
        const std::size_t next = text.find('\n', slot.end);
        return {{begin, (next == std::string_view::npos ? text.size() : next + 1) - begin, ""}};
    }
    const auto isPlain = [text](std::size_t begin, std::size_t end) {
        return text.substr(begin, end - begin).find_first_of("#\n") == std::string_view::npos;
    };
    const bool isLast = index + 1 == array.elements.size();
    const std::size_t begin = slot.element.begin;
    if (!isLast) {
        const std::size_t next = array.elements[index + 1].span.begin;
        if (isPlain(slot.element.end, next)) return {{begin, next - begin, ""}};
    } else if (index > 0) {
        const std::size_t before = array.elements[index - 1].span.end;
        if (isPlain(before, begin)) return {{before, slot.element.end - before, ""}};
    }
    std::vector<TextEdit> edits{{begin, slot.end - begin, ""}};
    if (slot.hasComma && !slot.commaIsNext)
        edits.push_back({layout.behindComma(slot.element.end) - 1, 1, ""});
    return edits;
}

std::vector<TextEdit> editsToMove(std::string_view text, const TomlValue& array, std::size_t from,
                                  std::size_t to) {
    const TextLayout layout(text);
    const std::size_t first = std::min(from, to);
    const std::size_t last = std::max(from, to);
    std::vector<Slot> slots;
    std::vector<std::size_t> order;  // which element comes to each slot
    for (std::size_t i = first; i <= last; ++i) {
        slots.push_back(slotOf(text, array.elements[i]));
        order.push_back(i == to ? from : from < to ? i + 1 : i - 1);
    }
    const bool withTails = std::ranges::all_of(slots, &Slot::hasOwnLines);
    std::vector<TextEdit> edits;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const TomlValue& comes = array.elements[order[i]];
        const Slot& source = slots[order[i] - first];
        const TextSpan place = slots[i].element;
        const std::string item =
            indented(itemText(text, comes), layout.indent(place.begin), layout.newline());
        edits.push_back({place.begin, place.end - place.begin, item});
        if (!withTails) continue;
        const TextSpan tail = tailOf(text, slots[i]);
        edits.push_back(
            {tail.begin, tail.end - tail.begin, std::string(sliceOf(text, tailOf(text, source)))});
    }
    return edits;
}

}  // namespace lockstep::config
