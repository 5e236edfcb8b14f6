// SPDX-License-Identifier: Apache-2.0
#include "core/model/description/parameters.h"

#include <algorithm>

namespace lockstep::model {

namespace {

using config::TomlValue;

bool isParameter(const TomlValue& value) {
    return value.kind == TomlValue::Kind::String && value.text.starts_with('$');
}

void collect(const TomlValue& value, std::set<std::string>& names) {
    if (isParameter(value)) names.insert(value.text.substr(1));
    for (const TomlValue& element : value.elements)
        collect(element, names);
}

void collect(const std::vector<Entry>& layers, std::set<std::string>& names) {
    for (const Entry& entry : layers) {
        for (const Option& option : entry.options)
            collect(option.value, names);
        if (entry.repeat) collect(*entry.repeat, names);
        collect(entry.layers, names);
        collect(entry.shortcut, names);
    }
}

}  // namespace

bool hasParameter(const TomlValue& value) {
    return isParameter(value) || std::ranges::any_of(value.elements, hasParameter);
}

std::set<std::string> parametersOf(const std::vector<Entry>& layers) {
    std::set<std::string> names;
    collect(layers, names);
    return names;
}

TomlValue substitute(const TomlValue& value, const std::vector<Option>& given) {
    if (isParameter(value)) {
        const auto found =
            std::ranges::find(given, std::string_view(value.text).substr(1), &Option::name);
        return found == given.end() ? value : found->value;
    }
    TomlValue whole = value;
    for (TomlValue& element : whole.elements)
        element = substitute(element, given);
    return whole;
}

}  // namespace lockstep::model
