// SPDX-License-Identifier: Apache-2.0
#include "core/config/job/model_spec.h"

#include <fmt/format.h>

namespace lockstep::config {

namespace {

TomlValue integerValue(std::int64_t integer) {
    TomlValue value;
    value.kind = TomlValue::Kind::Integer;
    value.integer = integer;
    value.number = static_cast<double>(integer);
    return value;
}

TomlValue textValue(std::string text) {
    TomlValue value;
    value.kind = TomlValue::Kind::String;
    value.text = std::move(text);
    return value;
}

}  // namespace

model::Description descriptionOf(const ModelSpec& model) {
    if (!isDenseStack(model)) return model.description;
    model::Description description;
    for (const LayerSpec& layer : model.layers) {
        model::Entry entry;
        entry.place.path = fmt::format("model.layers[{}]", description.layers.size());
        entry.typePlace.path = entry.place.path + ".type";
        entry.type = layer.type;
        entry.options.push_back({"units", integerValue(layer.units)});
        if (layer.activation == Activation::Relu)
            entry.options.push_back({"activation", textValue("relu")});
        description.layers.push_back(std::move(entry));
    }
    return description;
}

}  // namespace lockstep::config
