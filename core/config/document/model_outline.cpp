// SPDX-License-Identifier: Apache-2.0
#include "core/config/document/model_outline.h"

#include <algorithm>

#include "core/config/document/model_edit.h"

namespace lockstep::config {

namespace {

using Kind = TomlValue::Kind;
using Row = OutlineRow;

constexpr std::size_t kMostRows = 20'000;

class Reader {
public:
    Reader(std::string_view text, const TomlValue& root) : text_(text), root_(root) {}

    ModelOutline run() {
        const TomlPath layers{"model", "layers"};
        outline_.isListEditable = isListEditable(root_, layers);
        addList(layers, -1);
        addGroup(Row::Kind::Blocks, "blocks");
        addGroup(Row::Kind::Defaults, "defaults");
        return std::move(outline_);
    }

private:
    int add(Row row, int parent) {
        const int index = static_cast<int>(outline_.rows.size());
        row.parent = parent;
        row.key = toString(row.path);
        if (const TomlValue* value = valueAt(root_, row.path)) row.line = value->line;
        outline_.rows.push_back(std::move(row));
        (parent < 0 ? outline_.top : outline_.rows[static_cast<std::size_t>(parent)].rows)
            .push_back(index);
        return index;
    }

    void addList(const TomlPath& list, int parent) {
        const TomlValue* array = valueAt(root_, list);
        if (array == nullptr) return;
        for (std::size_t i = 0; i < array->elements.size() && outline_.rows.size() < kMostRows; ++i)
            addEntry(array->elements[i], list / i, parent);
    }

    void addEntry(const TomlValue& table, const TomlPath& path, int parent) {
        Row row{.kind = Row::Kind::Other, .path = path};
        if (table.kind == Kind::Table) row.kind = kindOf(table);
        const bool isResidual = row.kind == Row::Kind::Residual;
        for (const TomlEntry& entry : table.entries)
            if (!isResidual || (entry.key != "residual" && entry.key != "shortcut"))
                row.options.push_back(optionOf(entry));
        const char* typeKey = row.kind == Row::Kind::BlockUse ? "block" : "type";
        if (const OutlineOption* type = row.find(typeKey)) row.type = type->value;
        if (const OutlineOption* name = row.find("name")) row.name = name->value;
        if (isResidual) {
            row.list = path / "residual";
            row.isListEditable = isListEditable(root_, row.list);
        }
        const int index = add(std::move(row), parent);
        if (!isResidual) return;
        addList(path / "residual", index);
        if (table.find("shortcut") == nullptr) return;
        const TomlPath shortcut = path / "shortcut";
        addList(shortcut, add({.kind = Row::Kind::Shortcut,
                               .path = shortcut,
                               .list = shortcut,
                               .isListEditable = isListEditable(root_, shortcut)},
                              index));
    }

    static Row::Kind kindOf(const TomlValue& table) {
        if (table.find("residual") != nullptr || table.find("shortcut") != nullptr)
            return Row::Kind::Residual;
        return table.find("block") != nullptr ? Row::Kind::BlockUse : Row::Kind::Layer;
    }

    OutlineOption optionOf(const TomlEntry& entry) const {
        const TomlValue& value = entry.value;
        const bool isString = value.kind == Kind::String;
        return {entry.key,
                isString ? value.text
                         : std::string(
                               text_.substr(value.span.begin, value.span.end - value.span.begin)),
                isString, value};
    }

    void addGroup(Row::Kind kind, const char* key) {
        const TomlPath path{"model", key};
        const TomlValue* table = valueAt(root_, path);
        if (table == nullptr || table->kind != Kind::Table || table->entries.empty()) return;
        const int group = add({.kind = kind, .path = path}, -1);
        for (const TomlEntry& entry : table->entries) {
            Row row{.path = path / entry.key, .type = entry.key};
            if (kind == Row::Kind::Blocks) {
                row.kind = Row::Kind::Block;
                row.list = row.path / "layers";
                row.isListEditable = isListEditable(root_, row.list);
                const TomlPath list = row.list;
                addList(list, add(std::move(row), group));
                continue;
            }
            row.kind = Row::Kind::TypeDefaults;
            for (const TomlEntry& option : entry.value.entries)
                row.options.push_back(optionOf(option));
            add(std::move(row), group);
        }
    }

    std::string_view text_;
    const TomlValue& root_;
    ModelOutline outline_;
};

void collectParameters(const TomlValue& value, std::vector<std::string>& names) {
    if (value.kind == Kind::String && value.text.starts_with('$')) {
        const std::string name = value.text.substr(1);
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    for (const TomlValue& element : value.elements)
        collectParameters(element, names);
}

}  // namespace

const OutlineOption* OutlineRow::find(std::string_view option) const {
    const auto found = std::ranges::find(options, option, &OutlineOption::name);
    return found == options.end() ? nullptr : &*found;
}

int ModelOutline::rowAt(const TomlPath& path) const {
    const auto found = std::ranges::find(rows, path, &OutlineRow::path);
    return found == rows.end() ? -1 : static_cast<int>(found - rows.begin());
}

int ModelOutline::rowOfKey(std::string_view key) const {
    int best = -1;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string& own = rows[i].key;
        const bool isOwn =
            key.starts_with(own) &&
            (key.size() == own.size() || key[own.size()] == '.' || key[own.size()] == '[');
        if (!isOwn || own.size() < longest) continue;
        best = static_cast<int>(i);
        longest = own.size();
    }
    return best;
}

std::vector<std::string> ModelOutline::blockNames() const {
    std::vector<std::string> names;
    for (const OutlineRow& row : rows)
        if (row.kind == OutlineRow::Kind::Block) names.push_back(row.type);
    return names;
}

std::vector<std::string> ModelOutline::parametersOf(std::string_view block) const {
    const TomlPath path{"model", "blocks", std::string(block)};
    std::vector<std::string> names;
    for (const OutlineRow& row : rows) {
        if (!isWithin(row.path, path)) continue;
        for (const OutlineOption& option : row.options)
            collectParameters(option.tree, names);
    }
    return names;
}

ModelOutline outlineOf(std::string_view text, const TomlValue& root) {
    return Reader(text, root).run();
}

}  // namespace lockstep::config
