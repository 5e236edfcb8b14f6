// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/spec_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/text.h"
#include "core/config/keys/key_table.h"
#include "core/config/keys/model_section.h"
#include "core/model/description/read_description.h"

namespace lockstep::config {

namespace {

using Kind = TomlValue::Kind;

bool isSection(std::string_view name) {
    const auto& names = sectionNames();
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The names of a section's keys.
std::vector<std::string> namesIn(std::string_view section) {
    std::vector<std::string> names;
    for (const auto& key : jobKeys())
        if (key.help.key.starts_with(std::string(section) + "."))
            names.push_back(key.help.key.substr(section.size() + 1));
    return names;
}

/// The full key whose last part is `name`: what a key without its section, or in a wrong one,
/// meant.
const KeyHelp* keyNamed(std::string_view name) {
    for (const auto& key : jobKeys())
        if (key.help.key.ends_with("." + std::string(name))) return &key.help;
    return nullptr;
}

/// The key or section that an unknown one was meant to be.
std::optional<std::string> meantKey(std::string_view key) {
    const std::size_t dot = key.find('.');
    const std::string section(key.substr(0, dot));
    const std::string name(dot == std::string_view::npos ? key : key.substr(dot + 1));
    if (dot == std::string_view::npos && isSection(section)) return std::nullopt;
    if (isSection(name)) return "[" + name + "]";  // a section written inside another one
    if (const KeyHelp* elsewhere = keyNamed(name)) return elsewhere->key;
    if (!isSection(section)) return nearestWord(section, sectionNames());
    const auto sibling = nearestWord(name, namesIn(section));
    return sibling ? std::optional(section + "." + *sibling) : std::nullopt;
}

std::string remedyFor(const KeyHelp& help) {
    const std::string start = fmt::format("Set {} to {}", help.key, expectation(help));
    if (help.defaultToml.empty() || help.kind == ValueKind::LayerList) return start + ".";
    return fmt::format("{}, or leave it out for {}.", start, help.defaultToml);
}

/// Null: there is no such key.
const Key<JobSpec>* findKey(std::string_view name) {
    const auto key =
        std::ranges::find_if(jobKeys(), [name](const auto& k) { return k.help.key == name; });
    return key == jobKeys().end() ? nullptr : &*key;
}

class Reader {
public:
    explicit Reader(SpecReading& reading) : reading_(reading) {}

    void readRoot(const TomlValue& root) {
        for (const TomlEntry& entry : root.entries) {
            if (!isSection(entry.key)) {
                addUnknown(entry, entry.key);
            } else if (entry.value.kind != Kind::Table) {
                add(entry.key, entry.value.line, entry.value.column,
                    fmt::format("{} is {}, but must be a table", entry.key,
                                shownValue(entry.value)),
                    fmt::format("Write [{}] on a line of its own and its keys below.", entry.key));
            } else {
                readSection(entry.key, entry.value);
            }
        }
        completeProcessCount();
        completeEvaluator();
        completeOptimizer();
    }

private:
    void readSection(const std::string& section, const TomlValue& table) {
        if (section == "model" && !isWrittenAsStack(table)) {
            readModel(table);
            return;
        }
        for (const TomlEntry& entry : table.entries) {
            const std::string name = section + "." + entry.key;
            if (!namesIn(name).empty()) {
                readInner(name, entry.value);
                continue;
            }
            if (const Key<JobSpec>* key = findKey(name))
                readKey(*key, entry);
            else
                addUnknown(entry, name);
        }
    }

    /// A table in a section, with keys of its own: [training.schedule].
    void readInner(const std::string& name, const TomlValue& value) {
        if (value.kind == Kind::Table) {
            readSection(name, value);
            return;
        }
        add(name, value.line, value.column,
            fmt::format("{} is {}, but must be a table", name, shownValue(value)),
            fmt::format("Write [{}] on a line of its own and its keys below: {}.", name,
                        joinWords(namesIn(name))));
    }

    /// A model that is more than a dense stack: its keys are of use together only.
    void readModel(const TomlValue& table) {
        TomlValue known = table;
        known.entries.clear();
        const std::vector<std::string> names = namesIn("model");
        for (const TomlEntry& entry : table.entries) {
            const std::string name = "model." + entry.key;
            if (std::find(names.begin(), names.end(), entry.key) == names.end()) {
                addUnknown(entry, name);
                continue;
            }
            if (entry.key == "initial_weights") {
                readKey(*findKey(name), entry);
                continue;
            }
            addPlaces(name, entry.value);
            known.entries.push_back(entry);
        }
        if (known.find("layers") == nullptr) return;  // lint says so
        reading_.spec.model.isDescribed = true;
        model::DescriptionReading reading = model::readDescription(known);
        for (const model::Problem& problem : reading.problems)
            add(problem.place.path, problem.place.line, problem.place.column,
                model::sentenceOf(problem), problem.remedy);
        reading_.places["model.layers"].usable = reading.problems.empty();
        if (reading.problems.empty())
            reading_.spec.model.description = std::move(reading.description);
    }

    void readKey(const Key<JobSpec>& key, const TomlEntry& entry) {
        const std::string& name = key.help.key;
        addPlaces(name, entry.value);
        const Problems problems = key.read(entry.value, reading_.spec);
        reading_.places[name].usable = problems.empty();
        for (const Problem& problem : problems)
            add(name + problem.suffix, problem.place.line, problem.place.column,
                fmt::format("{}{} {}", name, problem.suffix, problem.message),
                problem.remedy.empty() ? remedyFor(key.help) : problem.remedy);
    }

    void addPlaces(const std::string& name, const TomlValue& value) {
        reading_.places[name] = {value.line, value.column, true};
        for (std::size_t i = 0; i < value.elements.size(); ++i)
            addPlaces(fmt::format("{}[{}]", name, i), value.elements[i]);
        for (const TomlEntry& entry : value.entries)
            addPlaces(name + "." + entry.key, entry.value);
    }

    /// One address per process, unless only the coordinator's is given.
    void completeProcessCount() {
        if (!reading_.places.contains("cluster.num_processes"))
            reading_.spec.cluster.numProcesses =
                static_cast<int>(reading_.spec.cluster.jobAddresses.size());
    }

    /// The evaluator scores Lockstep's own checkpoints, which a user's program does not write.
    void completeEvaluator() {
        if (reading_.spec.launch.runsOwnProgram() && !reading_.places.contains("cluster.evaluator"))
            reading_.spec.cluster.evaluator = false;
    }

    /// Keras' defaults differ from one optimizer to the other.
    void completeOptimizer() {
        TrainingSpec& training = reading_.spec.training;
        const auto isLeftOut = [this](std::string_view key) {
            return !reading_.places.contains(key);
        };
        if (training.optimizer == OptimizerKind::AdamW && isLeftOut("training.weight_decay"))
            training.weightDecay = kAdamWDecay;
        if (training.optimizer == OptimizerKind::Lion && isLeftOut("training.beta_2"))
            training.beta2 = kLionBeta2;
    }

    void addUnknown(const TomlEntry& entry, const std::string& name) {
        add(sanitizeLine(name, 120), entry.line, entry.column, unknownKeySentence(name),
            unknownKeyRemedy(name));
    }

    void add(const std::string& key, int line, int column, std::string message,
             std::string remedy) {
        reading_.findings.push_back(
            {Severity::Error, key, line, column, std::move(message), std::move(remedy), {}});
    }

    SpecReading& reading_;
};

}  // namespace

std::string unknownKeySentence(std::string_view key) {
    const auto meant = meantKey(key);
    const std::string hint = meant ? fmt::format(", did you mean {}?", *meant) : std::string();
    return fmt::format("there is no key \"{}\"{}", sanitizeLine(key, 120), hint);
}

std::string unknownKeyRemedy(std::string_view key) {
    const std::string section(key.substr(0, key.find('.')));
    if (!isSection(section))
        return fmt::format("Correct or remove it; the sections are {}.", joinWords(sectionNames()));
    return fmt::format("Correct or remove it; the keys of [{}] are {}.", section,
                       joinWords(namesIn(section)));
}

SpecReading readSpec(const TomlValue& root) {
    SpecReading reading;
    reading.spec = defaultSpec();
    Reader(reading).readRoot(root);
    return reading;
}

}  // namespace lockstep::config
