// SPDX-License-Identifier: Apache-2.0
#include "core/model/layer_options.h"

#include <algorithm>

#include "core/base/check.h"

namespace lockstep::model {

namespace {

const config::TomlValue* findIn(const std::vector<Option>& options, std::string_view name) {
    const auto found = std::ranges::find(options, name, &Option::name);
    return found == options.end() ? nullptr : &found->value;
}

}  // namespace

const config::TomlValue* LayerOptions::find(std::string_view name) const {
    const OptionType* type = type_.find(name);
    LS_CHECK(type != nullptr, "a layer is asked for the options of its type");
    if (const config::TomlValue* written = findIn(written_, name)) return written;
    const config::TomlValue* given =
        defaults_ == nullptr ? nullptr : findIn(defaults_->options, name);
    if (given != nullptr) return given;
    return type->defaultValue ? &*type->defaultValue : nullptr;
}

const config::TomlValue& LayerOptions::value(std::string_view name) const {
    const config::TomlValue* found = find(name);
    LS_CHECK(found != nullptr, "an option without a default was checked to be there");
    return *found;
}

std::vector<double> LayerOptions::numbers(std::string_view name) const {
    const config::TomlValue& all = value(name);
    if (all.kind != config::TomlValue::Kind::Array) return {all.number};
    std::vector<double> list;
    for (const config::TomlValue& element : all.elements)
        list.push_back(element.number);
    return list;
}

std::vector<std::int64_t> LayerOptions::integers(std::string_view name) const {
    std::vector<std::int64_t> list;
    for (const config::TomlValue& element : value(name).elements)
        list.push_back(element.integer);
    return list;
}

Extent LayerOptions::extent(std::string_view name, std::int64_t along) const {
    const config::TomlValue& all = value(name);
    const bool isArray = all.kind == config::TomlValue::Kind::Array;
    const std::int64_t last = isArray ? all.elements.back().integer : all.integer;
    if (type_.find(name)->rank == 1) return {along, last};
    return {isArray ? all.elements.front().integer : last, last};
}

}  // namespace lockstep::model
