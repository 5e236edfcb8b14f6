// SPDX-License-Identifier: Apache-2.0
#include "core/model/description/layer_table.h"

#include <algorithm>
#include <iterator>

#include "core/base/check.h"
#include "core/model/description/layer_families.h"

namespace lockstep::model {

namespace {

constexpr double kLargestWindow = 65536;
constexpr double kMostRepeats = 10'000;

void fillDefaults(LayerType& type) {
    for (OptionType& option : type.options) {
        const auto root = config::parseToml("v = " + option.defaultToml);
        if (root) option.defaultValue = root->entries.front().value;
        LS_CHECK(root || option.defaultToml.empty(), "a default is TOML");
    }
}

std::vector<LayerType> makeTypes() {
    std::vector<LayerType> all;
    for (auto* family :
         {&denseTypes, &convolutionTypes, &poolingTypes, &normalizationTypes, &elementwiseTypes,
          &shapeTypes, &mergeTypes, &sequenceTypes, &recurrentTypes}) {
        std::vector<LayerType> types = family();
        std::ranges::move(types, std::back_inserter(all));
    }
    for (LayerType& type : all) {
        if (type.hasTensors)
            type.options.push_back(flag("trainable", true,
                                        "Whether training changes its parameters; false: they stay "
                                        "as loaded, and a batch normalization takes its running "
                                        "statistics as they are."));
        fillDefaults(type);
    }
    return all;
}

LayerType makeResidual() {
    LayerType residual{
        .name = "residual", .help = "activation(layers(x) + shortcut(x)).", .options = {}};
    addActivation(residual.options);
    fillDefaults(residual);
    return residual;
}

}  // namespace

const OptionType* LayerType::find(std::string_view option) const {
    const auto found = std::ranges::find(options, option, &OptionType::name);
    return found == options.end() ? nullptr : &*found;
}

const std::vector<LayerType>& layerTypes() {
    static const std::vector<LayerType> kTypes = makeTypes();
    return kTypes;
}

const LayerType* findLayerType(std::string_view name) {
    const auto found = std::ranges::find(layerTypes(), name, &LayerType::name);
    return found == layerTypes().end() ? nullptr : &*found;
}

const std::vector<std::string>& layerTypeNames() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names;
        for (const LayerType& type : layerTypes())
            names.push_back(type.name);
        return names;
    }();
    return kNames;
}

const LayerType& residualType() {
    static const LayerType kResidual = makeResidual();
    return kResidual;
}

const OptionType& repeatOption() {
    static const OptionType kRepeat{
        .name = "repeat",
        .kind = OptionKind::Integer,
        .help = "How often the block stands there, one behind the other.",
        .maximum = kMostRepeats};
    return kRepeat;
}

OptionType requiredInteger(std::string name, std::string help) {
    return {.name = std::move(name),
            .kind = OptionKind::Integer,
            .help = std::move(help),
            .isRequired = true};
}

OptionType flag(std::string name, bool value, std::string help) {
    return {.name = std::move(name),
            .kind = OptionKind::Flag,
            .defaultToml = value ? "true" : "false",
            .help = std::move(help)};
}

OptionType number(std::string name, const std::string& defaultToml, double minimum, double maximum,
                  std::string help, bool isOpen) {
    return {.name = std::move(name),
            .kind = OptionKind::Number,
            .defaultToml = defaultToml,
            .help = std::move(help),
            .minimum = minimum,
            .maximum = maximum,
            .belowMaximum = isOpen,
            .isRequired = defaultToml.empty()};
}

OptionType word(std::string name, const std::string& value, std::vector<std::string> words,
                std::string help) {
    return {.name = std::move(name),
            .kind = OptionKind::Word,
            .defaultToml = value.empty() ? std::string() : '"' + value + '"',
            .help = std::move(help),
            .isRequired = value.empty(),
            .words = std::move(words)};
}

OptionType extent(std::string name, const std::string& defaultToml, int rank, std::string help) {
    return {.name = std::move(name),
            .kind = OptionKind::Lengths,
            .defaultToml = defaultToml,
            .help = std::move(help),
            .maximum = kLargestWindow,
            .isRequired = defaultToml.empty(),
            .rank = rank};
}

OptionType padding(int rank) {
    return {.name = "padding",
            .kind = OptionKind::Padding,
            .defaultToml = "\"valid\"",
            .help =
                "Zeros around the image: none (valid), as many as keep its size at stride 1 "
                "(same; an odd one goes below and right), or so many on each side.",
            .minimum = 0,
            .maximum = kLargestWindow,
            .rank = rank};
}

const std::vector<std::string>& activationNames() {
    static const std::vector<std::string> kWords{"linear",    "relu",   "leaky_relu", "gelu",
                                                 "gelu_tanh", "silu",   "sigmoid",    "tanh",
                                                 "elu",       "softmax"};
    return kWords;
}

void addActivation(std::vector<OptionType>& options) {
    options.push_back(
        word("activation", "linear", activationNames(), "What is applied to the output."));
    options.push_back(
        number("negative_slope", "0.3", 0, 1e6, "Of leaky_relu: the slope below zero."));
    options.push_back(number("alpha", "1.0", 0, 1e6, "Of elu: the limit below zero, negated."));
}

OptionType initializer(std::string name, const std::string& value) {
    return word(std::move(name), value, {"glorot_uniform", "he_normal", "uniform", "zeros", "ones"},
                "How the tensor begins; uniform: within 0.05 of zero.");
}

OptionType useBias() {
    return flag("use_bias", true, "Whether a number for each output is added.");
}

OptionType epsilon(const std::string& defaultToml) {
    OptionType option = number("epsilon", defaultToml, 0, 1,
                               "Added to the variance, keeps the division away from zero.");
    option.aboveMinimum = true;
    return option;
}

}  // namespace lockstep::model
