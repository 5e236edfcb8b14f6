// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/model_section.h"

#include <algorithm>

#include "core/model/description/write_description.h"

namespace lockstep::config {

namespace {

using Kind = TomlValue::Kind;

bool isWord(const TomlValue& value, std::initializer_list<std::string_view> words) {
    return value.kind == Kind::String && std::ranges::find(words, value.text) != words.end();
}

bool isStackOption(const TomlEntry& option) {
    if (option.key == "type") return isWord(option.value, {"dense"});
    if (option.key == "activation") return isWord(option.value, {"linear", "relu"});
    // A text may be "classes", or what was meant by it: the description knows.
    return option.key == "units" && option.value.kind != Kind::String;
}

Key<JobSpec> tableKey(std::string (*write)(const model::Description&)) {
    Key<JobSpec> key;
    key.help.kind = ValueKind::Table;
    key.read = [](const TomlValue&, JobSpec&) { return Problems{}; };
    key.write = [write](const JobSpec& spec) { return write(spec.model.description); };
    return key;
}

}  // namespace

bool isWrittenAsStack(const TomlValue& section) {
    if (section.find("blocks") != nullptr || section.find("defaults") != nullptr) return false;
    const TomlValue* layers = section.find("layers");
    return layers == nullptr || layers->kind != Kind::Array ||
           std::ranges::all_of(layers->elements, [](const TomlValue& layer) {
               return layer.kind != Kind::Table ||
                      std::ranges::all_of(layer.entries, isStackOption);
           });
}

Key<JobSpec> blocksKey() {
    return tableKey(model::blocksToml);
}

Key<JobSpec> defaultsKey() {
    return tableKey(model::defaultsToml);
}

}  // namespace lockstep::config
