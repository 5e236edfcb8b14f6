// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/model_rules.h"

#include <fmt/format.h>

#include <array>

#include "core/config/job/model_spec.h"
#include "core/config/job/task.h"
#include "core/config/lint/known_dataset.h"
#include "core/model/build_graph.h"

namespace lockstep::config {

namespace {

constexpr std::array<KnownDataset, 2> kKnownDatasets{
    {{"digits", 10, 60000, false, 28}, {"mnist", 10, 60000, true, 28}}};

void tell(const model::Problem& problem, Report& report) {
    report.error(problem.place.path, model::sentenceOf(problem), problem.remedy);
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
    // What another loss takes is not known before the data are.
    const LossKind loss = spec.training.loss.kind;
    if (loss != LossKind::Auto && loss != LossKind::SparseCategoricalCrossEntropy &&
        loss != LossKind::CategoricalCrossEntropy)
        return;
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
    if (facts && !isDenseStack(spec.model)) checkModel(spec, *facts, report);
}

void checkModel(const JobSpec& spec, const model::DataFacts& facts, Report& report) {
    const auto graph = model::buildGraph(descriptionOf(spec.model), facts);
    if (!graph) {
        tell(graph.error(), report);
        return;
    }
    const auto [task, problem] = taskOf(spec.training.loss, facts);
    if (problem) return;  // a rule of its own tells it
    if (const auto wrong = outputProblem(*graph, task)) tell(*wrong, report);
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
