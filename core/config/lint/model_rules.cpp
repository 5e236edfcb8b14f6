// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/model_rules.h"

#include <fmt/format.h>

#include <array>

#include "core/config/job/model_spec.h"
#include "core/config/lint/known_dataset.h"
#include "core/model/build_graph.h"

namespace lockstep::config {

namespace {

constexpr std::array<KnownDataset, 2> kKnownDatasets{
    {{"digits", 10, 60000, false, 28}, {"mnist", 10, 60000, true, 28}}};

/// What a network for classes ends with: a logit for each of them.
void checkOutput(const model::Graph& graph, const model::DataFacts& facts, Report& report) {
    const std::string& last = graph.layers.back().place;
    if (graph.output() != model::Shape{facts.classes})
        report.error(last,
                     fmt::format("{} gives {} in the end, but the data has {} classes", last,
                                 model::toString(graph.output()), facts.classes),
                     "End the model with { type = \"dense\", units = \"classes\" }.");
    const auto* activation = std::get_if<model::Activation>(&graph.nodes.back().operation);
    if (activation != nullptr && activation->function != model::Function::Linear)
        report.error(last,
                     fmt::format("{} has an activation, but the last layer gives the logits, to "
                                 "which the loss applies softmax",
                                 last),
                     "Leave activation out of the last layer.");
}

std::string layerKey(std::size_t index, std::string_view option) {
    return fmt::format("model.layers[{}].{}", index, option);
}

}  // namespace

void checkLayers(const JobSpec& spec, Report& report) {
    if (!isDenseStack(spec.model)) return;
    const auto& layers = spec.model.layers;
    if (layers.empty()) {
        report.error(
            "model.layers",
            report.isWritten("model.layers") ? "model.layers is empty" : "model.layers is missing",
            "Give at least one layer, for example { type = \"dense\", units = 10 }.");
        return;
    }
    for (std::size_t i = 0; i < layers.size(); ++i)
        if (layers[i].units == 0)
            report.errorNear(layerKey(i, "units"), fmt::format("model.layers[{}]", i),
                             fmt::format("{} is missing: a dense layer needs its output size",
                                         layerKey(i, "units")),
                             "Add units, for example { type = \"dense\", units = 256 }.");
}

void checkLastLayer(const JobSpec& spec, Report& report) {
    const auto& layers = spec.model.layers;
    if (layers.empty() || layers.back().units == 0) return;
    const std::size_t last = layers.size() - 1;
    const auto known = knownDataset(spec.data);
    if (known && layers.back().units != known->classes)
        report.error(layerKey(last, "units"),
                     fmt::format("{} is {}, but {} has {} classes", layerKey(last, "units"),
                                 layers.back().units, known->name, known->classes),
                     fmt::format("Set units of the last layer to {}.", known->classes));
    if (layers.back().activation == Activation::Relu)
        report.error(
            layerKey(last, "activation"),
            fmt::format("{} is \"relu\": the last layer gives the logits, and relu cuts off the "
                        "negative ones",
                        layerKey(last, "activation")),
            "Leave activation out of the last layer.");
}

void checkModelFitsData(const JobSpec& spec, Report& report) {
    const auto facts = knownFacts(spec.data);
    if (facts && !isDenseStack(spec.model)) checkModel(spec.model, *facts, report);
}

void checkModel(const ModelSpec& model, const model::DataFacts& facts, Report& report) {
    const auto graph = model::buildGraph(descriptionOf(model), facts);
    if (graph)
        checkOutput(*graph, facts, report);
    else
        report.error(graph.error().place.path, model::sentenceOf(graph.error()),
                     graph.error().remedy);
}

std::optional<KnownDataset> knownDataset(const DataSpec& data) {
    for (const KnownDataset& known : kKnownDatasets)
        if (known.name == data.dataset) return known;
    return std::nullopt;
}

std::optional<model::DataFacts> knownFacts(const DataSpec& data) {
    const auto known = knownDataset(data);
    if (!known) return std::nullopt;
    return model::DataFacts{
        .input = {known->side, known->side, 1}, .columns = {}, .classes = known->classes};
}

}  // namespace lockstep::config
