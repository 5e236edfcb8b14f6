// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/layer_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/config/job/model_spec.h"
#include "core/model/description/layer_table.h"
#include "core/model/description/write_description.h"

namespace lockstep::config {

namespace {

using Kind = TomlValue::Kind;

std::vector<Key<LayerSpec>> makeLayerKeys() {
    std::vector<Key<LayerSpec>> keys;
    keys.push_back(
        named("model.layers[].type", "", "The kind of layer, as Keras names it.",
              textKey<LayerSpec>(at<&LayerSpec::type>, ValueKind::Word, model::layerTypeNames())));
    keys.push_back(named("model.layers[].units", "units", "The size of the layer's output.",
                         integerKey<LayerSpec>(at<&LayerSpec::units>, {1, 1 << 20})));
    keys.push_back(
        named("model.layers[].activation", "", "What is applied to the layer's output.",
              wordKey<LayerSpec>(at<&LayerSpec::activation>,
                                 {{"linear", Activation::Linear}, {"relu", Activation::Relu}})));
    keys.back().help.words = model::activationNames();  // of models that are no dense stack
    const LayerSpec defaults;
    for (auto& key : keys)
        if (key.help.kind == ValueKind::Word) key.help.defaultToml = key.write(defaults);
    return keys;
}

std::string lastPart(const std::string& key) {
    return key.substr(key.rfind('.') + 1);
}

Problems readLayer(const TomlValue& table, std::size_t index, LayerSpec& layer) {
    Problems problems;
    for (const TomlEntry& entry : table.entries) {
        const auto known = std::ranges::find_if(
            layerKeys(), [&entry](const auto& key) { return lastPart(key.help.key) == entry.key; });
        LS_CHECK(known != layerKeys().end(), "a dense stack has no other options");
        for (Problem problem : known->read(entry.value, layer)) {
            problem.suffix = fmt::format("[{}].{}", index, entry.key);
            if (problem.remedy.empty())
                problem.remedy = fmt::format("Set {} of layer {} to {}.", entry.key, index,
                                             expectation(known->help));
            problems.push_back(std::move(problem));
        }
    }
    return problems;
}

Problems readLayers(const TomlValue& value, JobSpec& spec) {
    if (value.kind != Kind::Array)
        return {{placeOf(value),
                 {},
                 fmt::format("is {}, but must be an array of layers", shownValue(value)),
                 {}}};
    Problems problems;
    std::vector<LayerSpec> layers(value.elements.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const TomlValue& element = value.elements[i];
        if (element.kind != Kind::Table) {
            problems.push_back({placeOf(element), fmt::format("[{}]", i),
                                fmt::format("is {}, but must be a layer", shownValue(element)),
                                "Write a layer as { type = \"dense\", units = 10 }."});
            continue;
        }
        Problems ofLayer = readLayer(element, i, layers[i]);
        problems.insert(problems.end(), ofLayer.begin(), ofLayer.end());
    }
    if (problems.empty()) spec.model.layers = std::move(layers);
    return problems;
}

}  // namespace

const std::vector<Key<LayerSpec>>& layerKeys() {
    static const std::vector<Key<LayerSpec>> kKeys = makeLayerKeys();
    return kKeys;
}

Key<JobSpec> layersKey() {
    Key<JobSpec> key;
    key.help.kind = ValueKind::LayerList;
    key.read = readLayers;
    key.write = [](const JobSpec& spec) {
        if (!isDenseStack(spec.model)) return model::layersToml(spec.model.description);
        std::string text;
        for (const LayerSpec& layer : spec.model.layers) {
            std::string options;
            for (const auto& option : layerKeys())
                options += fmt::format("{}{} = {}", options.empty() ? "" : ", ",
                                       lastPart(option.help.key), option.write(layer));
            text += fmt::format("  {{ {} }},\n", options);
        }
        return text.empty() ? std::string() : "[\n" + text + "]";
    };
    return key;
}

}  // namespace lockstep::config
