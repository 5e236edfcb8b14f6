// SPDX-License-Identifier: Apache-2.0
#include "core/model/description/read_description.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/model/description/check_references.h"
#include "core/model/description/entry_reader.h"

namespace lockstep::model {

namespace {

using config::shownValue;
using config::TomlEntry;
using config::TomlValue;
using Kind = TomlValue::Kind;

constexpr std::size_t kMostBlocks = 1000;

void readDefaults(const TomlValue& table, EntryReader& reader, std::vector<Defaults>& all) {
    if (table.kind != Kind::Table) {
        reader.add("model.defaults", table,
                   fmt::format("is {}, but must be a table", shownValue(table)),
                   "Write [model.defaults] on a line of its own and a type a line below.");
        return;
    }
    for (const TomlEntry& entry : table.entries) {
        const std::string path = "model.defaults." + sanitizeLine(entry.key, 60);
        const LayerType* type = findLayerType(entry.key);
        if (type == nullptr) {
            reader.add(path, entry.line, entry.column,
                       "is no type of layer" + didYouMean(entry.key, layerTypeNames()),
                       fmt::format("The types of layers are {}.", joinWords(layerTypeNames())));
            continue;
        }
        if (entry.value.kind != Kind::Table) {
            reader.add(
                path, entry.value,
                fmt::format("is {}, but must be a table of options", shownValue(entry.value)),
                fmt::format("Write {} = {{ OPTION = VALUE }}.", entry.key));
            continue;
        }
        Defaults defaults{entry.key, {path, entry.value.line, entry.value.column}, {}};
        for (const TomlEntry& option : entry.value.entries)
            reader.readOption(option, *type, path, false, defaults.options);
        all.push_back(std::move(defaults));
    }
}

void readBlock(const TomlEntry& entry, EntryReader& reader, std::vector<Block>& all) {
    const std::string path = "model.blocks." + sanitizeLine(entry.key, 60);
    const TomlValue& table = entry.value;
    if (table.kind != Kind::Table || table.find("layers") == nullptr) {
        reader.add(path, entry.line, entry.column, "is a block without layers",
                   fmt::format("Write [{}] on a line of its own and layers = [ … ] below.", path));
        return;
    }
    Block block{entry.key, {path, entry.line, entry.column}, {}};
    for (const TomlEntry& part : table.entries)
        if (part.key == "layers")
            block.layers = reader.readList(part.value, path + ".layers", true);
        else
            reader.add(path + "." + sanitizeLine(part.key, 60), part.line, part.column,
                       "is no key of a block, which has layers only",
                       "Remove it; parameters are what \"$name\" in its layers asks for.");
    all.push_back(std::move(block));
}

void readBlocks(const TomlValue& table, EntryReader& reader, std::vector<Block>& all) {
    if (table.kind == Kind::Table && table.entries.size() > kMostBlocks) {
        reader.add("model.blocks", table,
                   fmt::format("has {} blocks, more than {}", table.entries.size(), kMostBlocks),
                   "Use blocks with parameters instead of many alike.");
    } else if (table.kind == Kind::Table) {
        for (const TomlEntry& entry : table.entries)
            readBlock(entry, reader, all);
    } else {
        reader.add("model.blocks", table,
                   fmt::format("is {}, but must be a table", shownValue(table)),
                   "Write [model.blocks.NAME] on a line of its own and layers = [ … ] below.");
    }
}

}  // namespace

DescriptionReading readDescription(const TomlValue& model) {
    DescriptionReading reading;
    Description& description = reading.description;
    EntryReader reader(description.defaults);
    if (const TomlValue* defaults = model.find("defaults"))
        readDefaults(*defaults, reader, description.defaults);
    if (const TomlValue* layers = model.find("layers"))
        description.layers = reader.readList(*layers, "model.layers", false);
    else
        reader.add("model.layers", model, "is missing: a network needs a layer",
                   "Give at least one layer, such as { type = \"dense\", units = 10 }.");
    if (const TomlValue* blocks = model.find("blocks"))
        readBlocks(*blocks, reader, description.blocks);
    for (const TomlEntry& entry : model.entries)
        if (entry.key != "layers" && entry.key != "blocks" && entry.key != "defaults")
            reader.add(
                "model." + sanitizeLine(entry.key, 60), entry.line, entry.column,
                "is no key of [model]" + didYouMean(entry.key, {"layers", "blocks", "defaults"}),
                "Remove it; the keys of [model] are layers, blocks and defaults.");
    reading.problems = reader.take();
    if (reading.problems.empty()) reading.problems = checkReferences(description);
    return reading;
}

}  // namespace lockstep::model
