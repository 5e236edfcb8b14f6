// SPDX-License-Identifier: Apache-2.0
#include "core/model/description/description.h"

#include <algorithm>

namespace lockstep::model {

namespace {

bool sameOptions(const std::vector<Option>& a, const std::vector<Option>& b) {
    return std::ranges::equal(a, b, [](const Option& x, const Option& y) {
        return x.name == y.name && config::sameValue(x.value, y.value);
    });
}

bool sameEntries(const std::vector<Entry>& a, const std::vector<Entry>& b);

bool sameInputs(const std::vector<InputName>& a, const std::vector<InputName>& b) {
    return std::ranges::equal(a, b, {}, &InputName::name, &InputName::name);
}

bool sameEntry(const Entry& a, const Entry& b) {
    if (a.repeat.has_value() != b.repeat.has_value()) return false;
    if (a.repeat && !config::sameValue(*a.repeat, *b.repeat)) return false;
    return a.kind == b.kind && a.type == b.type && a.name == b.name &&
           sameInputs(a.inputs, b.inputs) && sameOptions(a.options, b.options) &&
           sameEntries(a.layers, b.layers) && sameEntries(a.shortcut, b.shortcut);
}

bool sameEntries(const std::vector<Entry>& a, const std::vector<Entry>& b) {
    return std::ranges::equal(a, b, sameEntry);
}

}  // namespace

const config::TomlValue* Entry::find(std::string_view option) const {
    const auto found = std::ranges::find(options, option, &Option::name);
    return found == options.end() ? nullptr : &found->value;
}

const Block* Description::findBlock(std::string_view name) const {
    const auto found = std::ranges::find(blocks, name, &Block::name);
    return found == blocks.end() ? nullptr : &*found;
}

const Defaults* Description::findDefaults(std::string_view type) const {
    const auto found = std::ranges::find(defaults, type, &Defaults::type);
    return found == defaults.end() ? nullptr : &*found;
}

bool sameDescription(const Description& a, const Description& b) {
    return sameEntries(a.layers, b.layers) &&
           std::ranges::equal(a.defaults, b.defaults,
                              [](const Defaults& x, const Defaults& y) {
                                  return x.type == y.type && sameOptions(x.options, y.options);
                              }) &&
           std::ranges::equal(a.blocks, b.blocks, [](const Block& x, const Block& y) {
               return x.name == y.name && sameEntries(x.layers, y.layers);
           });
}

}  // namespace lockstep::model
