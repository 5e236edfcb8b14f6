// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/weights_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"

namespace lockstep::config {

namespace {

using Kind = TomlValue::Kind;

constexpr const char* kExample =
    "Write for example initial_weights = { file = \"resnet18.safetensors\", rename = { \"module.\" "
    "= \"\" }, except = [\"fc.\"] }.";

Problem problemAt(const TextPlace& place, std::string suffix, std::string message) {
    return {place, std::move(suffix), std::move(message), kExample};
}

Problems readPath(const TomlValue& value, const std::string& suffix, InitialWeightsSpec& weights) {
    if (value.kind != Kind::String || value.text.empty())
        return {problemAt(
            placeOf(value), suffix,
            fmt::format("is {}, but must be the path of a safetensors file", shownValue(value)))};
    weights.file = value.text;
    return {};
}

Problems readRename(const TomlValue& value, InitialWeightsSpec& weights) {
    if (value.kind != Kind::Table)
        return {problemAt(placeOf(value), ".rename",
                          fmt::format("is {}, but must be a table of names", shownValue(value)))};
    Problems problems;
    for (const TomlEntry& entry : value.entries)
        if (entry.value.kind == Kind::String)
            weights.rename.emplace_back(entry.key, entry.value.text);
        else
            problems.push_back(
                problemAt(placeOf(entry.value), ".rename",
                          fmt::format("has {} = {}, but must give the name here for the name there",
                                      sanitizeLine(entry.key, 60), shownValue(entry.value))));
    return problems;
}

Problems readExcept(const TomlValue& value, InitialWeightsSpec& weights) {
    const bool isList =
        value.kind == Kind::Array && std::ranges::all_of(value.elements, [](const TomlValue& name) {
            return name.kind == Kind::String && !name.text.empty();
        });
    if (!isList)
        return {problemAt(
            placeOf(value), ".except",
            fmt::format("is {}, but must be an array of beginnings of names", shownValue(value)))};
    for (const TomlValue& name : value.elements)
        weights.except.push_back(name.text);
    return {};
}

Problems readTable(const TomlValue& table, InitialWeightsSpec& weights) {
    Problems problems;
    const auto add = [&problems](Problems more) {
        problems.insert(problems.end(), more.begin(), more.end());
    };
    for (const TomlEntry& entry : table.entries)
        if (entry.key == "file")
            add(readPath(entry.value, ".file", weights));
        else if (entry.key == "rename")
            add(readRename(entry.value, weights));
        else if (entry.key == "except")
            add(readExcept(entry.value, weights));
        else
            add({problemAt({entry.line, entry.column}, {},
                           fmt::format("has no option \"{}\"{}", sanitizeLine(entry.key, 60),
                                       didYouMean(entry.key, {"file", "rename", "except"})))});
    if (table.find("file") == nullptr) add({problemAt(placeOf(table), {}, "names no file")});
    return problems;
}

}  // namespace

std::string initialWeightsToml(const InitialWeightsSpec& weights) {
    if (weights.rename.empty() && weights.except.empty()) return tomlString(weights.file);
    std::string text = "{ file = " + tomlString(weights.file);
    std::vector<std::string> parts;
    for (const auto& [theirs, ours] : weights.rename)
        parts.push_back(tomlString(theirs) + " = " + tomlString(ours));
    if (!parts.empty()) text += fmt::format(", rename = {{ {} }}", fmt::join(parts, ", "));
    parts.clear();
    for (const std::string& name : weights.except)
        parts.push_back(tomlString(name));
    if (!parts.empty()) text += fmt::format(", except = [{}]", fmt::join(parts, ", "));
    return text + " }";
}

Key<JobSpec> initialWeightsKey() {
    Key<JobSpec> key;
    key.help.kind = ValueKind::PathOrTable;
    key.read = [](const TomlValue& value, JobSpec& spec) {
        InitialWeightsSpec weights;
        Problems problems =
            value.kind == Kind::Table ? readTable(value, weights) : readPath(value, {}, weights);
        if (problems.empty()) spec.model.initialWeights = std::move(weights);
        return problems;
    };
    key.write = [](const JobSpec& spec) {
        const InitialWeightsSpec& weights = spec.model.initialWeights;
        return weights.file.empty() ? std::string() : initialWeightsToml(weights);
    };
    return key;
}

}  // namespace lockstep::config
