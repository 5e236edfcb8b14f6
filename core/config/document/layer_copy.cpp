// SPDX-License-Identifier: Apache-2.0
#include "core/config/document/layer_copy.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "core/text/text_patch.h"
#include "core/text/toml_text.h"

namespace lockstep::config {

namespace {

using Kind = TomlValue::Kind;
using NewNames = std::map<std::string, std::string>;

constexpr std::size_t kLongestNumber = 6;  ///< Digits.

/// Calls `visit` with every value of the keys name, input and inputs, and with the key.
template <typename Visit>
void visitNames(const TomlValue& value, const Visit& visit) {
    for (const TomlValue& element : value.elements)
        visitNames(element, visit);
    for (const TomlEntry& entry : value.entries) {
        if (entry.key == "name" || entry.key == "input") visit(entry.value, entry.key == "name");
        if (entry.key == "inputs")
            for (const TomlValue& input : entry.value.elements)
                visit(input, false);
        if (entry.value.kind == Kind::Array) visitNames(entry.value, visit);
    }
}

/// The list in which names of the layer are told apart: the model's or a block's.
TomlPath scopeOf(const TomlPath& layer) {
    const bool isInBlock = layer.size() > 4 && layer[1] == TomlPath::value_type("blocks");
    return {layer.begin(), layer.begin() + (isInBlock ? 4 : 2)};
}

std::string freeName(const std::string& name, const std::set<std::string>& taken) {
    const std::size_t digits = name.size() - (name.find_last_not_of("0123456789") + 1);
    const bool isNumbered = digits > 0 && digits <= kLongestNumber && digits < name.size();
    const std::string stem = isNumbered ? name.substr(0, name.size() - digits) : name + "_";
    int number = isNumbered ? std::stoi(name.substr(stem.size())) : 1;
    std::string fresh;
    do {
        fresh = fmt::format("{}{}", stem, ++number);
    } while (taken.contains(fresh));
    return fresh;
}

}  // namespace

Result<std::string> copyWithFreeNames(const std::string& item, const TomlValue& root,
                                      const TomlPath& layer) {
    const std::string text = "v = " + item;
    const auto tree = parseToml(text);
    if (!tree)
        return fail(ErrorCode::BadInput, "this layer cannot be copied as it is written",
                    "Edit the text of the job file.");
    std::set<std::string> taken;
    if (const TomlValue* scope = valueAt(root, scopeOf(layer)))
        visitNames(*scope, [&taken](const TomlValue& value, bool isName) {
            if (isName) taken.insert(value.text);
        });
    NewNames names;
    const TomlValue& copied = tree->entries.front().value;
    visitNames(copied, [&](const TomlValue& value, bool isName) {
        if (!isName || value.kind != Kind::String || names.contains(value.text)) return;
        const std::string fresh = freeName(value.text, taken);
        names[value.text] = fresh;
        taken.insert(fresh);
    });
    std::vector<TextEdit> edits;
    visitNames(copied, [&](const TomlValue& value, bool) {
        const auto known = names.find(value.text);
        if (value.kind == Kind::String && known != names.end())
            edits.push_back(
                {value.span.begin, value.span.end - value.span.begin, tomlString(known->second)});
    });
    return applyEdits(text, std::move(edits)).substr(4);
}

}  // namespace lockstep::config
