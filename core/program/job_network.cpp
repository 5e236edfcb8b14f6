// SPDX-License-Identifier: Apache-2.0
#include "core/program/job_network.h"

#include <fmt/format.h>

#include <variant>

#include "core/base/plural.h"
#include "core/config/job/model_spec.h"
#include "core/model/build_graph.h"

namespace lockstep::program {

namespace {

Error errorOf(const model::Problem& problem) {
    return {ErrorCode::BadInput, model::sentenceOf(problem), problem.remedy};
}

/// What the loss takes: a number for each class, before any activation.
Result<void> checkOutput(const model::Graph& graph, std::int64_t classes) {
    const model::Layer& last = graph.layers.back();
    if (graph.output() != model::Shape{classes})
        return fail(ErrorCode::BadInput,
                    fmt::format("{}, the last layer, gives {}, but the data has {}", last.place,
                                model::toString(graph.output()), counted(classes, "class")),
                    "End with { type = \"dense\", units = \"classes\" }.");
    const auto* activation = std::get_if<model::Activation>(&graph.nodes.back().operation);
    if (activation != nullptr && activation->function != model::Function::Linear)
        return fail(ErrorCode::BadInput,
                    fmt::format("{}, the last layer, has an activation, but the loss takes the "
                                "numbers before it",
                                last.place),
                    "Leave its activation out: the softmax is part of the loss.");
    return {};
}

}  // namespace

Result<Network> makeNetwork(const config::ModelSpec& model, const model::DataFacts& facts) {
    const model::Description description = config::descriptionOf(model);
    if (description.layers.empty())
        return fail(ErrorCode::BadInput, "model.layers is empty",
                    "Describe at least one layer, e.g. { type = \"dense\", units = \"classes\" }.");
    auto graph = model::buildGraph(description, facts);
    if (!graph) return fail(errorOf(graph.error()));
    if (auto fits = checkOutput(*graph, facts.classes); !fits) return fail(fits.error());
    if (graph->trainableCount() == 0)
        return fail(ErrorCode::BadInput, "no layer of the model has anything to train",
                    "Leave trainable = false out of one layer at least.");
    return Network(std::move(*graph));
}

}  // namespace lockstep::program
