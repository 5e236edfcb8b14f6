// SPDX-License-Identifier: Apache-2.0
#include "core/model/description/entry_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/model/description/parameters.h"

namespace lockstep::model {

namespace {

using config::shownValue;
using config::TomlEntry;
using config::TomlValue;
using Kind = TomlValue::Kind;

constexpr std::size_t kMostProblems = 100;
constexpr std::size_t kLongestName = 64;
constexpr int kDeepestResidual = 8;
constexpr std::size_t kMostInputs = 1000;
constexpr const char* kLayerForm = "Write a layer as { type = \"dense\", units = 10 }.";

/// Letters, digits, "_" and "-" in parts that points join: names become names of tensors.
bool isName(std::string_view text) {
    if (text.empty() || text.size() > kLongestName) return false;
    bool isPart = false;
    for (const char c : text) {
        const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!isLetter && (c != '.' || !isPart)) return false;
        isPart = isLetter;
    }
    return isPart;
}

bool isReserved(std::string_view name) {
    return name == "data" || name.starts_with("data.") || name == "input";
}

std::vector<std::string> optionNames(const LayerType& type) {
    std::vector<std::string> names;
    for (const OptionType& option : type.options)
        names.push_back(option.name);
    names.insert(names.end(), {"name", type.isMerge ? "inputs" : "input"});
    return names;
}

std::string lowered(std::string_view word) {
    std::string lower(word);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

}  // namespace

std::string didYouMean(std::string_view word, const std::vector<std::string>& candidates) {
    const std::string lower = lowered(word);
    auto nearest = nearestName(lower, candidates);
    for (const std::string& candidate : candidates)
        if (!nearest && lower.size() >= 3 &&
            (candidate.ends_with("_" + lower) || candidate.starts_with(lower + "_")))
            nearest = candidate;
    return nearest ? fmt::format(", did you mean {}?", *nearest) : std::string();
}

void EntryReader::add(const std::string& path, int line, int column, std::string message,
                      std::string remedy) {
    if (problems_.size() < kMostProblems)
        problems_.push_back({{path, line, column}, std::move(message), std::move(remedy)});
    else if (problems_.size() == kMostProblems)
        problems_.push_back(
            {{"model", 0, 0},
             fmt::format("has more problems than the {} that are shown", kMostProblems),
             "Correct these first."});
}

void EntryReader::add(const std::string& path, const TomlValue& value, std::string message,
                      std::string remedy) {
    add(path, value.line, value.column, std::move(message), std::move(remedy));
}

std::vector<Entry> EntryReader::readList(const TomlValue& list, const std::string& path,
                                         bool inBlock) {
    std::vector<Entry> entries;
    if (list.kind != Kind::Array) {
        add(path, list, fmt::format("is {}, but must be an array of layers", shownValue(list)),
            fmt::format("Set {} to an array of layers.", path));
        return entries;
    }
    if (list.elements.empty()) add(path, list, "is empty: a layer must stand there", kLayerForm);
    for (std::size_t i = 0; i < list.elements.size(); ++i)
        entries.push_back(readEntry(list.elements[i], fmt::format("{}[{}]", path, i), inBlock));
    return entries;
}

Entry EntryReader::readEntry(const TomlValue& table, const std::string& path, bool inBlock) {
    Entry entry;
    entry.place = entry.typePlace = {path, table.line, table.column};
    if (table.kind != Kind::Table) {
        add(path, table, fmt::format("is {}, but must be a layer", shownValue(table)), kLayerForm);
        return entry;
    }
    std::vector<std::string> kinds;
    for (const char* kind : {"type", "residual", "block"})
        if (table.find(kind) != nullptr) kinds.emplace_back(kind);
    if (kinds.size() > 1) {
        add(path, table, fmt::format("has {}, but is one of these only", joinWords(kinds)),
            "Keep the one you mean.");
    } else if (table.find("residual") != nullptr) {
        readResidual(table, inBlock, entry);
    } else if (table.find("block") != nullptr) {
        readUse(table, inBlock, entry);
    } else {
        readLayer(table, inBlock, entry);
    }
    return entry;
}

void EntryReader::readLayer(const TomlValue& table, bool inBlock, Entry& entry) {
    entry.type = "dense";  // as job files have always meant it
    const std::string path = entry.place.path + ".type";
    if (const TomlValue* type = table.find("type")) {
        entry.typePlace = {path, type->line, type->column};
        if (type->kind != Kind::String) {
            add(path, *type, fmt::format("is {}, but must be a type of layer", shownValue(*type)),
                kLayerForm);
            return;
        }
        entry.type = type->text;
    }
    const LayerType* known = findLayerType(entry.type);
    if (known == nullptr) {
        add(path, entry.typePlace.line, entry.typePlace.column,
            fmt::format("is \"{}\", which is no type of layer{}", sanitizeLine(entry.type, 60),
                        didYouMean(entry.type, layerTypeNames())),
            fmt::format("The types of layers are {}.", joinWords(layerTypeNames())));
        return;
    }
    const std::size_t before = problems_.size();
    for (const TomlEntry& written : table.entries)
        if (written.key != "type" && !readCommon(written, entry))
            readOption(written, *known, entry.place.path, inBlock, entry.options);
    checkInputs(*known, entry);
    if (problems_.size() == before) checkRequired(*known, entry);
}

bool EntryReader::readOption(const TomlEntry& written, const LayerType& type,
                             const std::string& path, bool inBlock, std::vector<Option>& options) {
    const std::string full = path + "." + sanitizeLine(written.key, 60);
    const OptionType* option = type.find(written.key);
    if (option == nullptr) {
        const auto refused = std::ranges::find(type.refused, written.key,
                                               &std::pair<std::string, std::string>::first);
        if (refused != type.refused.end()) {
            add(full, written.line, written.column,
                fmt::format("is not supported by {}", type.name), refused->second);
            return false;
        }
        const std::vector<std::string> names = optionNames(type);
        add(full, written.line, written.column,
            fmt::format("is not an option of {}{}", type.name, didYouMean(written.key, names)),
            fmt::format("Remove it; the options of {} are {}.", type.name, joinWords(names)));
        return false;
    }
    const bool isOpen = hasParameter(written.value);
    if (isOpen && !inBlock) {
        add(full, written.value,
            fmt::format("is {}, but parameters stand in blocks only", shownValue(written.value)),
            fmt::format("Set it to {}.", expectation(*option)));
        return false;
    }
    if (const auto wrong = isOpen ? std::nullopt : misfit(written.value, *option)) {
        add(full, written.value, *wrong,
            fmt::format("Set {} of {} to {}.", option->name, type.name, expectation(*option)));
        return false;
    }
    options.push_back({written.key, written.value});
    return true;
}

void EntryReader::checkRequired(const LayerType& type, const Entry& entry) {
    const auto ofType = std::ranges::find(defaults_, type.name, &Defaults::type);
    for (const OptionType& option : type.options) {
        const bool inDefaults =
            ofType != defaults_.end() &&
            std::ranges::find(ofType->options, option.name, &Option::name) != ofType->options.end();
        if (option.isRequired && !inDefaults && entry.find(option.name) == nullptr)
            add(entry.place.path + "." + option.name, entry.place.line, entry.place.column,
                fmt::format("is missing: {} needs it", type.name),
                fmt::format("Give {} = …, {}. {}", option.name, expectation(option), option.help));
    }
}

void EntryReader::checkInputs(const LayerType& type, const Entry& entry) {
    const Place& place = entry.place;
    if (type.isMerge && entry.inputs.size() < 2)
        add(place.path, place.line, place.column,
            fmt::format("names {} of the two or more inputs that {} takes",
                        entry.inputs.empty() ? "none" : "one", type.name),
            "Name them, as in inputs = [\"a\", \"b\"], where a and b are layers with these names.");
    if (!type.isMerge && entry.inputs.size() > 1)
        add(place.path + ".inputs", place.line, place.column,
            fmt::format("names {} inputs, but {} takes one", entry.inputs.size(), type.name),
            "Write input = \"a\", or join them first with add, multiply or concatenate.");
}

void EntryReader::readResidual(const TomlValue& table, bool inBlock, Entry& entry) {
    entry.kind = Entry::Kind::Residual;
    const std::string& path = entry.place.path;
    if (depth_ == kDeepestResidual) {
        add(path, table, fmt::format("is nested deeper than {} residuals", kDeepestResidual),
            "Put the inner ones into a block, which has a name.");
        return;
    }
    ++depth_;
    for (const TomlEntry& written : table.entries) {
        if (written.key == "residual")
            entry.layers = readList(written.value, path + ".residual", inBlock);
        else if (written.key == "shortcut")
            entry.shortcut = readList(written.value, path + ".shortcut", inBlock);
        else if (!readCommon(written, entry))
            readOption(written, residualType(), path, inBlock, entry.options);
    }
    checkInputs(residualType(), entry);
    --depth_;
}

void EntryReader::readUse(const TomlValue& table, bool inBlock, Entry& entry) {
    entry.kind = Entry::Kind::BlockUse;
    const std::string& path = entry.place.path;
    for (const TomlEntry& written : table.entries) {
        const TomlValue& value = written.value;
        const bool isOpen = hasParameter(value);
        if (written.key == "block") {
            entry.typePlace = {path + ".block", value.line, value.column};
            entry.type = value.text;
            if (value.kind != Kind::String || value.text.empty())
                add(path + ".block", value,
                    fmt::format("is {}, but must be the name of a block", shownValue(value)),
                    "Write block = \"NAME\" for [model.blocks.NAME].");
        } else if (isOpen && !inBlock) {
            add(path + "." + sanitizeLine(written.key, 60), value,
                fmt::format("is {}, but parameters stand in blocks only", shownValue(value)),
                "Give it a value.");
        } else if (written.key == "repeat") {
            if (const auto wrong = isOpen ? std::nullopt : misfit(value, repeatOption()))
                add(path + ".repeat", value, *wrong, "Set repeat to how often the block is used.");
            entry.repeat = value;
        } else if (!readCommon(written, entry)) {
            entry.options.push_back({written.key, value});
        }
    }
    checkInputs({.name = "a block", .help = {}, .options = {}}, entry);
}

bool EntryReader::readCommon(const TomlEntry& written, Entry& entry) {
    if (written.key == "name")
        readName(written.value, entry);
    else if (written.key == "input" || written.key == "inputs")
        readInputs(written, entry);
    else
        return false;
    return true;
}

void EntryReader::readName(const TomlValue& value, Entry& entry) {
    const std::string path = entry.place.path + ".name";
    entry.name = value.text;
    if (value.kind != Kind::String || !isName(value.text))
        add(path, value,
            fmt::format(
                "is {}, but must be a name: up to {} letters, digits, \"_\", \"-\" and points "
                "between them",
                shownValue(value), kLongestName),
            "Choose such a name; the layer's tensors are called after it.");
    else if (isReserved(value.text))
        add(path, value, fmt::format("is \"{}\", which is what a model begins with", value.text),
            "Choose another name.");
}

void EntryReader::readInputs(const TomlEntry& written, Entry& entry) {
    const std::string path = entry.place.path + "." + written.key;
    const TomlValue& value = written.value;
    const bool isList = written.key == "inputs";
    if (!entry.inputs.empty()) {
        add(path, value, "is a second word on what the layer takes", "Keep input or inputs.");
        return;
    }
    if (!isList && value.kind == Kind::String && !value.text.empty()) {
        entry.inputs.push_back({value.text, {path, value.line, value.column}});
        return;
    }
    const bool areNames = isList && value.kind == Kind::Array && !value.elements.empty() &&
                          value.elements.size() <= kMostInputs &&
                          std::ranges::all_of(value.elements, [](const TomlValue& v) {
                              return v.kind == Kind::String && !v.text.empty();
                          });
    if (!areNames) {
        add(path, value,
            fmt::format("is {}, but must be {}", shownValue(value),
                        isList ? "an array of layers' names" : "the name of an earlier layer"),
            isList ? "Write inputs = [\"a\", \"b\"]." : "Write input = \"a\".");
        return;
    }
    for (std::size_t i = 0; i < value.elements.size(); ++i) {
        const TomlValue& name = value.elements[i];
        entry.inputs.push_back(
            {name.text, {fmt::format("{}[{}]", path, i), name.line, name.column}});
    }
}

}  // namespace lockstep::model
