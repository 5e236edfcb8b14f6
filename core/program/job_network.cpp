// SPDX-License-Identifier: Apache-2.0
#include "core/program/job_network.h"

#include "core/config/job/model_spec.h"
#include "core/config/job/task.h"
#include "core/model/build_graph.h"

namespace lockstep::program {

namespace {

Error errorOf(const model::Problem& problem) {
    return {ErrorCode::BadInput, model::sentenceOf(problem), problem.remedy};
}

}  // namespace

Result<Network> makeNetwork(const config::ModelSpec& model, const model::DataFacts& facts,
                            const config::LossSpec& loss) {
    const model::Description description = config::descriptionOf(model);
    if (description.layers.empty())
        return fail(ErrorCode::BadInput, "model.layers is empty",
                    "Describe at least one layer, e.g. { type = \"dense\", units = \"classes\" }.");
    auto graph = model::buildGraph(description, facts);
    if (!graph) return fail(errorOf(graph.error()));
    const auto [task, problem] = config::taskOf(loss, facts);
    if (problem) return fail(errorOf(*problem));
    if (const auto wrong = config::outputProblem(*graph, task)) return fail(errorOf(*wrong));
    if (graph->trainableCount() == 0)
        return fail(ErrorCode::BadInput, "no layer of the model has anything to train",
                    "Leave trainable = false out of one layer at least.");
    return Network(std::move(*graph));
}

}  // namespace lockstep::program
