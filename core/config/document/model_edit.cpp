// SPDX-License-Identifier: Apache-2.0
#include "core/config/document/model_edit.h"

#include <fmt/format.h>

#include "core/base/try.h"
#include "core/config/document/layer_copy.h"
#include "core/text/array_patch.h"
#include "core/text/text_layout.h"
#include "core/text/toml_text.h"

namespace lockstep::config {

namespace {

using Kind = TomlValue::Kind;

/// A value to be written, as the text "v = VALUE" and its tree.
struct Parsed {
    std::string text;
    TomlValue root;

    [[nodiscard]] const TomlValue& tree() const { return root.entries.front().value; }
};

Result<TomlValue> treeOf(const std::string& text) {
    auto root = parseToml(text);
    if (!root)
        return fail(ErrorCode::BadInput,
                    fmt::format("line {} is not TOML: {}", root.error().line, root.error().message),
                    "Correct the line in the job file's text.");
    return std::move(*root);
}

tl::unexpected<Error> cannot(const TomlPath& path) {
    return fail(ErrorCode::BadInput,
                fmt::format("{} cannot be changed as it is written", toString(path)),
                "Edit the text of the job file.");
}

Result<Parsed> valueOf(std::string_view value, bool isText) {
    Parsed parsed{"v = " + std::string(value), {}};
    if (auto root = parseToml(parsed.text); root && !isText && root->entries.size() == 1) {
        const std::size_t last = parsed.text.find_last_not_of(" \t\r\n") + 1;
        if (root->entries.front().value.span.end == last) {
            parsed.root = std::move(*root);
            return parsed;
        }
    }
    parsed.text = "v = " + tomlString(value);
    parsed.root = TRY(treeOf(parsed.text));
    return parsed;
}

/// The text with its edits made, when the section of the path then is the wanted one.
Result<std::string> finish(const std::string& text, const std::vector<TextEdit>& edits,
                           const TomlValue& wanted, const TomlPath& path) {
    std::string changed = applyEdits(text, edits);
    const auto root = parseToml(changed);
    if (!root || root->entries.size() != wanted.entries.size()) return cannot(path);
    const std::string& section = std::get<std::string>(path.front());
    const TomlValue* made = root->find(section);
    const TomlValue* asked = wanted.find(section);
    if (made == nullptr || asked == nullptr || !sameValue(*made, *asked)) return cannot(path);
    return changed;
}

/// Sets an entry of a tree's table.
void setIn(TomlValue& table, const std::string& name, const TomlValue& value) {
    for (TomlEntry& entry : table.entries)
        if (entry.key == name) {
            entry.value = value;
            return;
        }
    TomlEntry entry;
    entry.key = name;
    entry.value = value;
    table.entries.push_back(std::move(entry));
}

/// The table at the path, made where it is not there.
TomlValue& tableAt(TomlValue& root, const TomlPath& path) {
    TomlValue* table = &root;
    for (const auto& step : path) {
        const std::string& key = std::get<std::string>(step);
        if (table->find(key) == nullptr) setIn(*table, key, {});
        table = valueAt(*table, {key});
    }
    return *table;
}

/// A section at the end of the text.
TextEdit newSection(const std::string& text, const std::string& section, const std::string& line) {
    const std::string newline(TextLayout(text).newline());
    const std::string gap = text.empty() ? "" : text.ends_with('\n') ? newline : newline + newline;
    return {text.size(), 0, fmt::format("{}[{}]{}{}{}", gap, section, newline, line, newline)};
}

std::string keyOf(const std::string& name) {
    const bool isBare = !name.empty() && name.find_first_not_of(
                                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXY"
                                             "Z0123456789_-") == std::string::npos;
    return isBare ? name : tomlString(name);
}

/// "model.blocks.down" as a header writes it.
std::string headerOf(const TomlPath& path) {
    std::string text;
    for (const auto& step : path)
        text += (text.empty() ? "" : ".") + keyOf(std::get<std::string>(step));
    return text;
}

bool isOfKeys(const TomlPath& path) {
    return std::ranges::all_of(
        path, [](const auto& step) { return std::holds_alternative<std::string>(step); });
}

/// Sets a key where even its table is missing: a line in the nearest table that is there.
Result<std::vector<TextEdit>> editsForMissing(const std::string& text, const TomlValue& root,
                                              const TomlPath& table, const std::string& name,
                                              const std::string& value) {
    if (!isOfKeys(table)) return cannot(table);
    const TomlValue* parent = valueAt(root, parentOf(table));
    const std::string line = fmt::format("{} = {}", keyOf(name), value);
    const std::string last = std::get<std::string>(table.back());
    const bool isDefault = parentOf(table) == TomlPath{"model", "defaults"};
    if (!isDefault) return std::vector<TextEdit>{newSection(text, headerOf(table), line)};
    if (parent == nullptr)
        return std::vector<TextEdit>{
            newSection(text, "model.defaults", fmt::format("{} = {{ {} }}", keyOf(last), line))};
    const Parsed whole = TRY(valueOf(fmt::format("{{ {} }}", line), false));
    return editsToSetIn(text, *parent, keyOf(last), {whole.text, whole.tree()});
}

}  // namespace

Result<std::string> withOption(const std::string& text, const TomlPath& table,
                               const std::string& name, std::string_view value, bool isText) {
    const TomlValue root = TRY(treeOf(text));
    const Parsed parsed = TRY(valueOf(value, isText));
    TomlValue wanted = root;
    const TomlValue* place = valueAt(root, table);
    std::vector<TextEdit> edits;
    if (place == nullptr) {
        edits = TRY(editsForMissing(text, root, table, name, parsed.text.substr(4)));
        setIn(tableAt(wanted, table), name, parsed.tree());
    } else {
        if (place->kind != Kind::Table) return cannot(table);
        const std::string key = place->find(name) != nullptr ? name : keyOf(name);
        edits = editsToSetIn(text, *place, key, {parsed.text, parsed.tree()});
        setIn(*valueAt(wanted, table), name, parsed.tree());
    }
    return finish(text, edits, wanted, table / name);
}

Result<std::string> withoutOption(const std::string& text, const TomlPath& table,
                                  const std::string& name) {
    const TomlValue root = TRY(treeOf(text));
    const TomlValue* place = valueAt(root, table);
    if (place == nullptr || place->find(name) == nullptr) return text;
    TomlValue wanted = root;
    std::erase_if(valueAt(wanted, table)->entries,
                  [&name](const TomlEntry& entry) { return entry.key == name; });
    return finish(text, editsToUnset(text, *place, name), wanted, table / name);
}

Result<std::string> withLayer(const std::string& text, const TomlPath& list, std::size_t index,
                              std::string_view layer) {
    const TomlValue root = TRY(treeOf(text));
    const TomlValue* array = valueAt(root, list);
    if (array == nullptr) {
        const TomlPath table = parentOf(list);
        const TomlValue* owner = valueAt(root, table);
        const std::size_t indent = owner != nullptr && owner->isInline
                                       ? TextLayout(text).indent(owner->span.begin).size() + 2
                                       : 0;
        std::string item(layer);
        const std::string margin(indent + 2, ' ');
        for (std::size_t at = 0; (at = item.find('\n', at)) != std::string::npos; ++at)
            item.insert(at + 1, margin);
        return withOption(text, table, std::get<std::string>(list.back()),
                          fmt::format("[\n{}{},\n{}]", margin, item, std::string(indent, ' ')));
    }
    if (array->kind != Kind::Array || !array->isInline) return cannot(list);
    const Parsed parsed = TRY(valueOf(layer, false));
    TomlValue wanted = root;
    auto& elements = valueAt(wanted, list)->elements;
    index = std::min(index, elements.size());
    elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(index), parsed.tree());
    return finish(text, editsToInsert(text, *array, index, layer), wanted, list);
}

Result<std::string> withoutLayer(const std::string& text, const TomlPath& layer) {
    const TomlValue root = TRY(treeOf(text));
    const TomlPath list = parentOf(layer);
    const TomlValue* array = valueAt(root, list);
    if (valueAt(root, layer) == nullptr || !array->isInline) return cannot(layer);
    TomlValue wanted = root;
    auto& elements = valueAt(wanted, list)->elements;
    elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(indexOf(layer)));
    return finish(text, editsToErase(text, *array, indexOf(layer)), wanted, layer);
}

namespace {

Result<std::string> movedWithin(const std::string& text, const TomlValue& root,
                                const TomlPath& layer, std::size_t index) {
    const TomlValue& array = *valueAt(root, parentOf(layer));
    const std::size_t from = indexOf(layer);
    const std::size_t to = index > from ? index - 1 : index;
    if (to == from) return text;
    TomlValue wanted = root;
    auto& elements = valueAt(wanted, parentOf(layer))->elements;
    TomlValue moved = elements[from];
    elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(from));
    elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(to), std::move(moved));
    return finish(text, editsToMove(text, array, from, to), wanted, layer);
}

}  // namespace

Result<std::string> withLayerMoved(const std::string& text, const TomlPath& layer,
                                   const TomlPath& list, std::size_t index) {
    const TomlValue root = TRY(treeOf(text));
    const TomlValue* moved = valueAt(root, layer);
    const TomlValue* target = valueAt(root, list);
    const TomlPath source = parentOf(layer);
    if (moved == nullptr || target == nullptr || isWithin(list, layer) || !target->isInline ||
        !valueAt(root, source)->isInline)
        return cannot(layer);
    index = std::min(index, target->elements.size());
    if (source == list) return movedWithin(text, root, layer, index);
    std::vector<TextEdit> edits = editsToInsert(text, *target, index, itemText(text, *moved));
    for (TextEdit& edit : editsToErase(text, *valueAt(root, source), indexOf(layer)))
        edits.push_back(std::move(edit));
    TomlValue wanted = root;
    const TomlValue copy = *moved;
    const auto insert = [&] {
        auto& elements = valueAt(wanted, list)->elements;
        elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(index), copy);
    };
    // The deeper list first: the way to it may lead by the other one's elements.
    const bool isDeeper = isWithin(list, source);
    if (isDeeper) insert();
    auto& rest = valueAt(wanted, source)->elements;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(indexOf(layer)));
    if (!isDeeper) insert();
    return finish(text, edits, wanted, layer);
}

Result<std::string> withLayerCopied(const std::string& text, const TomlPath& layer) {
    const TomlValue root = TRY(treeOf(text));
    const TomlValue* copied = valueAt(root, layer);
    if (copied == nullptr) return cannot(layer);
    const std::string copy = TRY(copyWithFreeNames(itemText(text, *copied), root, layer));
    return withLayer(text, parentOf(layer), indexOf(layer) + 1, copy);
}

Result<std::string> withLayerAsResidual(const std::string& text, const TomlPath& layer) {
    const TomlValue root = TRY(treeOf(text));
    const TomlValue* old = valueAt(root, layer);
    if (old == nullptr || !valueAt(root, parentOf(layer))->isInline) return cannot(layer);
    const std::string indent(TextLayout(text).indent(old->span.begin));
    std::string item = itemText(text, *old);
    for (std::size_t at = 0; (at = item.find('\n', at)) != std::string::npos; ++at)
        item.insert(at + 1, indent + "    ");
    const std::string residual =
        fmt::format("{{ residual = [\n{0}    {1},\n{0}  ] }}", indent, item);
    TomlValue wanted = root;
    TomlValue list;
    list.kind = Kind::Array;
    list.elements = {*old};
    TomlValue table;
    setIn(table, "residual", list);
    *valueAt(wanted, layer) = table;
    return finish(text, {{old->span.begin, old->span.end - old->span.begin, residual}}, wanted,
                  layer);
}

Result<std::string> withBlock(const std::string& text, const std::string& name,
                              std::string_view layer) {
    return withLayer(text, {"model", "blocks", name, "layers"}, 0, layer);
}

Result<std::string> withoutBlock(const std::string& text, const std::string& name) {
    const TomlPath path{"model", "blocks", name};
    const TomlValue root = TRY(treeOf(text));
    const TomlValue* block = valueAt(root, path);
    if (block == nullptr) return cannot(path);
    TomlValue wanted = root;
    TomlValue& blocks = *valueAt(wanted, parentOf(path));
    std::erase_if(blocks.entries, [&name](const TomlEntry& entry) { return entry.key == name; });
    if (blocks.entries.empty())
        std::erase_if(valueAt(wanted, {"model"})->entries,
                      [](const TomlEntry& entry) { return entry.key == "blocks"; });
    const TextLayout layout(text);
    if (block->isInline) return cannot(path);
    std::size_t end = block->span.end;
    for (const TomlEntry& entry : block->entries)
        end = std::max(end, entry.value.span.end);
    const std::size_t begin = layout.lineBegin(block->span.begin);
    std::size_t next = std::min(text.find('\n', end), text.size());
    while (next < text.size() && (text[next] == '\n' || text[next] == '\r'))
        ++next;  // with the empty lines behind it
    return finish(text, {{begin, next - begin, ""}}, wanted, path);
}

bool isListEditable(const TomlValue& root, const TomlPath& list) {
    const TomlValue* array = valueAt(root, list);
    return array == nullptr || (array->kind == Kind::Array && array->isInline);
}

}  // namespace lockstep::config
