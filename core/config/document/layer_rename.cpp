// SPDX-License-Identifier: Apache-2.0
#include "core/config/document/layer_rename.h"

#include <algorithm>
#include <vector>

#include "core/config/document/model_edit.h"
#include "core/text/text_patch.h"
#include "core/text/toml_text.h"

namespace lockstep::config {

namespace {

using Kind = TomlValue::Kind;

constexpr std::size_t kDeepest = 32;  ///< Blocks within blocks; what is deeper is left alone.

/// Calls `visit` with every table in a value, it among them.
template <typename Visit>
void visitTables(const TomlValue& value, const Visit& visit) {
    for (const TomlValue& element : value.elements)
        visitTables(element, visit);
    if (value.kind != Kind::Table) return;
    visit(value);
    for (const TomlEntry& entry : value.entries)
        visitTables(entry.value, visit);
}

/// The names of one list of layers: the model's, or a block's.
struct Scope {
    std::string block{};  ///< Empty: the model's.
    const TomlValue* list = nullptr;
};

Scope scopeOf(const TomlValue& model, const std::string& block) {
    const TomlPath way = block.empty() ? TomlPath{"layers"} : TomlPath{"blocks", block, "layers"};
    return {block, valueAt(model, way)};
}

/// The name of the block in whose layers a path leads; empty: in those of the model.
std::string blockOf(const TomlPath& layer) {
    const bool isInBlock = layer.size() > 3 && layer[1] == TomlPath::value_type("blocks");
    const auto* name = isInBlock ? std::get_if<std::string>(&layer[2]) : nullptr;
    return name != nullptr ? *name : std::string();
}

class Renaming {
public:
    Renaming(const TomlValue& model, std::string block, std::string from, std::string to)
        : model_(model), block_(std::move(block)), from_(std::move(from)), to_(std::move(to)) {}

    std::vector<TextEdit> edits() {
        if (const Scope own = scopeOf(model_, block_); own.list != nullptr)
            visitTables(*own.list, [this](const TomlValue& table) { addInputs(table); });
        visitTables(model_, [this](const TomlValue& table) {
            const TomlValue* owner = table.find("weights_of");
            if (owner != nullptr && owner->kind == Kind::String)
                replace(*owner, fullName(owner->text, {}, 0));
        });
        return std::move(edits_);
    }

private:
    void replace(const TomlValue& value, const std::string& name) {
        if (value.kind == Kind::String && value.text != name)
            edits_.push_back(
                {value.span.begin, value.span.end - value.span.begin, tomlString(name)});
    }
    void addInput(const TomlValue& value) {
        replace(value, value.text == from_ ? to_ : value.text);
    }
    void addInputs(const TomlValue& table) {
        if (const TomlValue* input = table.find("input")) addInput(*input);
        if (const TomlValue* inputs = table.find("inputs"))
            for (const TomlValue& each : inputs->elements)
                addInput(each);
    }

    /// What a full name, as seen from the layers of a block, is afterwards.
    [[nodiscard]] std::string fullName(const std::string& name, const std::string& block,
                                       std::size_t depth) const {
        if (block == block_ && (name == from_ || name.starts_with(from_ + ".")))
            return to_ + name.substr(from_.size());
        const Scope scope = scopeOf(model_, block);
        std::string renamed = name;
        if (scope.list == nullptr || depth == kDeepest) return renamed;
        visitTables(*scope.list, [&](const TomlValue& table) {
            const TomlValue* used = table.find("block");
            const TomlValue* use = table.find("name");
            if (used == nullptr || use == nullptr || !name.starts_with(use->text + ".")) return;
            const std::size_t inner = beginOfInner(name, use->text.size() + 1);
            renamed = name.substr(0, inner) + fullName(name.substr(inner), used->text, depth + 1);
        });
        return renamed;
    }
    /// Behind the number of a use that is repeated.
    static std::size_t beginOfInner(const std::string& name, std::size_t at) {
        const std::size_t end = name.find_first_not_of("0123456789", at);
        return end != std::string::npos && end > at && name[end] == '.' ? end + 1 : at;
    }

    const TomlValue& model_;
    std::string block_;
    std::string from_;
    std::string to_;
    std::vector<TextEdit> edits_;
};

}  // namespace

Result<std::string> withLayerRenamed(const std::string& text, const TomlPath& layer,
                                     const std::string& name) {
    const auto root = parseToml(text);
    const TomlValue* table = root ? valueAt(*root, layer) : nullptr;
    const TomlValue* old = table != nullptr ? table->find("name") : nullptr;
    const TomlValue* model = root ? root->find("model") : nullptr;
    const bool isNamed = old != nullptr && old->kind == Kind::String && !old->text.empty();
    if (!isNamed || model == nullptr) return withOption(text, layer, "name", name, true);
    Renaming renaming(*model, blockOf(layer), old->text, name);
    return withOption(applyEdits(text, renaming.edits()), layer, "name", name, true);
}

}  // namespace lockstep::config
