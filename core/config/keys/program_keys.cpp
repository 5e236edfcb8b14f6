// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/program_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/text.h"

namespace lockstep::config {

namespace {

using Items = std::vector<std::pair<std::string, const TomlValue*>>;

/// The texts of an array. One text alone is no array here: what it would be split at is a guess.
Problems readArray(const TomlValue& value, const char* example, Items& items) {
    if (value.kind == TomlValue::Kind::String)
        return {{placeOf(value),
                 {},
                 fmt::format("is {}, but must be an array with one text for each part",
                             shownValue(value)),
                 fmt::format("Write it as {}.", example)}};
    Problems problems = readTextItems(value, items);
    for (std::size_t i = 0; i < items.size(); ++i)
        if (items[i].first.find('\0') != std::string::npos)
            problems.push_back({placeOf(*items[i].second), fmt::format("[{}]", i),
                                "has a NUL character, which no program can be given",
                                "Remove it."});
    return problems;
}

std::string writeArray(const std::vector<std::string>& texts) {
    std::string text;
    for (const std::string& one : texts)
        text += (text.empty() ? "" : ", ") + tomlString(one);
    return "[" + text + "]";
}

Problems readCommand(const TomlValue& value, JobSpec& spec) {
    Items items;
    Problems problems = readArray(value, R"(["python", "train.py"])", items);
    if (problems.empty() && !items.empty() && items.front().first.empty())
        problems.push_back({placeOf(*items.front().second), "[0]",
                            "is empty, but names the program",
                            R"(Write it as ["python", "train.py"].)"});
    if (!problems.empty()) return problems;
    spec.launch.command.clear();
    for (auto& [text, element] : items)
        spec.launch.command.push_back(text);
    return {};
}

bool isVariableName(std::string_view name) {
    return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
           std::all_of(name.begin(), name.end(),
                       [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// Empty: it is "NAME=value" with a name that a job may set.
std::string settingProblem(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
        return fmt::format("is \"{}\", but must be \"NAME=value\"", sanitizeLine(text, 80));
    const std::string name = text.substr(0, equals);
    if (!isVariableName(name))
        return fmt::format(
            "names the variable \"{}\", but a name has letters, digits and \"_\" only",
            sanitizeLine(name, 80));
    if (name.starts_with("LOCKSTEP_"))
        return fmt::format("sets {}, which Lockstep sets itself", sanitizeLine(name, 80));
    return {};
}

Problems readEnvironment(const TomlValue& value, JobSpec& spec) {
    constexpr const char* kExample = R"(["OMP_NUM_THREADS=2"])";
    Items items;
    Problems problems = readArray(value, kExample, items);
    for (std::size_t i = 0; i < items.size(); ++i)
        if (std::string problem = settingProblem(items[i].first); !problem.empty())
            problems.push_back({placeOf(*items[i].second), fmt::format("[{}]", i),
                                std::move(problem), fmt::format("Write it as in {}.", kExample)});
    if (!problems.empty()) return problems;
    spec.launch.environment.clear();
    for (auto& [text, element] : items)
        spec.launch.environment.push_back(text);
    return {};
}

}  // namespace

Key<JobSpec> commandKey() {
    Key<JobSpec> key;
    key.help.kind = ValueKind::TextList;
    key.read = readCommand;
    key.write = [](const JobSpec& spec) { return writeArray(spec.launch.command); };
    return key;
}

Key<JobSpec> environmentKey() {
    Key<JobSpec> key;
    key.help.kind = ValueKind::TextList;
    key.read = readEnvironment;
    key.write = [](const JobSpec& spec) { return writeArray(spec.launch.environment); };
    return key;
}

}  // namespace lockstep::config
