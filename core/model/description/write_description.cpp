// SPDX-License-Identifier: Apache-2.0
#include "core/model/description/write_description.h"

#include <fmt/format.h>

#include "core/text/toml_text.h"

namespace lockstep::model {

namespace {

using config::TomlValue;

std::string valueText(const TomlValue& value);

bool isBareKey(std::string_view key) {
    return !key.empty() &&
           key.find_first_not_of(
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
               std::string_view::npos;
}

std::string keyText(std::string_view key) {
    return isBareKey(key) ? std::string(key) : config::tomlString(key);
}

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts)
        text += (text.empty() ? "" : ", ") + part;
    return text;
}

std::string assignment(std::string_view key, const std::string& value) {
    return keyText(key) + " = " + value;
}

std::string tableText(const std::vector<std::string>& assignments) {
    return assignments.empty() ? "{}" : "{ " + joined(assignments) + " }";
}

/// Dates are no option's value; what a block is given in vain is refused when it is read.
std::string valueText(const TomlValue& value) {
    std::vector<std::string> parts;
    switch (value.kind) {
        case TomlValue::Kind::Integer:
            return std::to_string(value.integer);
        case TomlValue::Kind::Float:
            return config::tomlNumber(value.number);
        case TomlValue::Kind::Boolean:
            return value.flag ? "true" : "false";
        case TomlValue::Kind::Array:
            for (const TomlValue& element : value.elements)
                parts.push_back(valueText(element));
            return "[" + joined(parts) + "]";
        case TomlValue::Kind::Table:
            for (const config::TomlEntry& entry : value.entries)
                parts.push_back(assignment(entry.key, valueText(entry.value)));
            return tableText(parts);
        default:
            return config::tomlString(value.text);
    }
}

std::vector<std::string> assignments(const std::vector<Option>& options) {
    std::vector<std::string> parts;
    for (const Option& option : options)
        parts.push_back(assignment(option.name, valueText(option.value)));
    return parts;
}

std::string listText(const std::vector<Entry>& entries, std::size_t indent);

std::string entryText(const Entry& entry, std::size_t indent) {
    std::vector<std::string> parts;
    if (entry.kind == Entry::Kind::Residual)
        parts.push_back("residual = " + listText(entry.layers, indent));
    else
        parts.push_back(assignment(entry.kind == Entry::Kind::Layer ? "type" : "block",
                                   config::tomlString(entry.type)));
    if (!entry.shortcut.empty()) parts.push_back("shortcut = " + listText(entry.shortcut, indent));
    if (!entry.name.empty()) parts.push_back("name = " + config::tomlString(entry.name));
    std::vector<std::string> inputs;
    for (const InputName& input : entry.inputs)
        inputs.push_back(config::tomlString(input.name));
    if (inputs.size() == 1) parts.push_back("input = " + inputs.front());
    if (inputs.size() > 1) parts.push_back("inputs = [" + joined(inputs) + "]");
    if (entry.repeat) parts.push_back("repeat = " + valueText(*entry.repeat));
    for (std::string& option : assignments(entry.options))
        parts.push_back(std::move(option));
    return tableText(parts);
}

std::string listText(const std::vector<Entry>& entries, std::size_t indent) {
    std::string text = "[\n";
    for (const Entry& entry : entries)
        text += std::string(indent + 2, ' ') + entryText(entry, indent + 2) + ",\n";
    return text + std::string(indent, ' ') + "]";
}

}  // namespace

std::string layersToml(const Description& description) {
    return description.layers.empty() ? std::string() : listText(description.layers, 0);
}

std::string blocksToml(const Description& description) {
    std::vector<std::string> parts;
    for (const Block& block : description.blocks)
        parts.push_back(
            assignment(block.name, tableText({"layers = " + listText(block.layers, 0)})));
    return parts.empty() ? std::string() : tableText(parts);
}

std::string defaultsToml(const Description& description) {
    std::vector<std::string> parts;
    for (const Defaults& defaults : description.defaults)
        parts.push_back(assignment(defaults.type, tableText(assignments(defaults.options))));
    return parts.empty() ? std::string() : tableText(parts);
}

}  // namespace lockstep::model
