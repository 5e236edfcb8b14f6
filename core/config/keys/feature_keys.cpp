// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/feature_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"

namespace lockstep::config {

namespace {

using Kind = TomlValue::Kind;

constexpr int kMostTokens = 1 << 24;  ///< Places are floats on their way into the network.

std::vector<Key<FeatureSpec>> makeOptions() {
    return {
        named("type", "", "",
              wordKey<FeatureSpec>(at<&FeatureSpec::kind>,
                                   {{"float", FeatureKind::Float},
                                    {"float_normalized", FeatureKind::FloatNormalized},
                                    {"integer_categorical", FeatureKind::IntegerCategorical},
                                    {"string_categorical", FeatureKind::StringCategorical}})),
        named("max_tokens", "", "",
              integerKey<FeatureSpec>(at<&FeatureSpec::maxTokens>, {2, kMostTokens})),
        named(
            "output_mode", "", "",
            wordKey<FeatureSpec>(at<&FeatureSpec::output>, {{"int", CategoryOutput::Int},
                                                            {"one_hot", CategoryOutput::OneHot}})),
    };
}

const std::vector<Key<FeatureSpec>>& options() {
    static const std::vector<Key<FeatureSpec>> kOptions = makeOptions();
    return kOptions;
}

bool isNumber(FeatureKind kind) {
    return kind == FeatureKind::Float || kind == FeatureKind::FloatNormalized;
}

/// The problems of a value, as those of data.features.
void addProblems(Problems found, const std::string& suffix, const KeyHelp& help,
                 Problems& problems) {
    for (Problem& problem : found) {
        problem.suffix = suffix;
        if (problem.remedy.empty())
            problem.remedy = fmt::format("Set it to {}.", expectation(help));
        problems.push_back(std::move(problem));
    }
}

void readOptions(const TomlValue& table, const std::string& suffix, FeatureSpec& feature,
                 Problems& problems) {
    std::vector<std::string> names;
    for (const auto& option : options())
        names.push_back(option.help.key);
    for (const TomlEntry& entry : table.entries) {
        const auto option = std::ranges::find_if(
            options(), [&entry](const auto& one) { return one.help.key == entry.key; });
        if (option == options().end()) {
            problems.push_back({{entry.line, entry.column},
                                suffix,
                                fmt::format("has no option \"{}\"{}", sanitizeLine(entry.key, 60),
                                            didYouMean(entry.key, names)),
                                "Its options are type, max_tokens and output_mode."});
            continue;
        }
        addProblems(option->read(entry.value, feature), suffix + "." + entry.key, option->help,
                    problems);
    }
    if (table.find("type") == nullptr)
        problems.push_back({placeOf(table), suffix, "has no type",
                            "Add one, for example type = \"string_categorical\"."});
    else if (isNumber(feature.kind) && table.entries.size() > 1)
        problems.push_back({placeOf(table), suffix,
                            "is of numbers, which have neither max_tokens nor output_mode",
                            "Write its type alone."});
}

Problems readFeatures(const TomlValue& value, JobSpec& spec) {
    if (value.kind != Kind::Table)
        return {{placeOf(value),
                 {},
                 fmt::format("is {}, but must be a table of columns", shownValue(value)),
                 "Write [data.features] on a line of its own and a line for each column below, for "
                 "example income = \"float_normalized\"."}};
    Problems problems;
    std::vector<FeatureSpec> features;
    for (const TomlEntry& entry : value.entries) {
        const std::string suffix = "." + sanitizeLine(entry.key, 80);
        FeatureSpec feature{.name = entry.key};
        if (entry.value.kind == Kind::Table)
            readOptions(entry.value, suffix, feature, problems);
        else
            addProblems(options()[0].read(entry.value, feature), suffix, options()[0].help,
                        problems);
        features.push_back(std::move(feature));
    }
    if (problems.empty()) spec.data.table.features = std::move(features);
    return problems;
}

bool isBareKey(const std::string& name) {
    return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    });
}

std::string featureToml(const FeatureSpec& feature) {
    const auto& all = options();
    std::string text = all[0].write(feature);
    if (!isNumber(feature.kind)) {
        text = "{ type = " + text;
        if (feature.maxTokens > 0) text += ", max_tokens = " + all[1].write(feature);
        text += ", output_mode = " + all[2].write(feature) + " }";
    }
    return (isBareKey(feature.name) ? feature.name : tomlString(feature.name)) + " = " + text;
}

}  // namespace

Key<JobSpec> featuresKey() {
    Key<JobSpec> key;
    key.help.kind = ValueKind::Table;
    key.read = readFeatures;
    key.write = [](const JobSpec& spec) {
        std::string text;
        for (const FeatureSpec& feature : spec.data.table.features)
            text += (text.empty() ? "{ " : ", ") + featureToml(feature);
        return text.empty() ? std::string() : text + " }";
    };
    return key;
}

}  // namespace lockstep::config
