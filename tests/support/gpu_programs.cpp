// SPDX-License-Identifier: Apache-2.0
#include "tests/support/gpu_programs.h"

#include "core/program/compile.h"
#include "core/program/cuda_programs.h"
#include "tests/support/program_case.h"
#include "tests/support/random_graph.h"
#include "tests/support/random_layout.h"
#include "tests/support/split_executor.h"

namespace lockstep::testing {

namespace {

using program::Program;

std::int64_t rowsOf(std::uint64_t seed) {
    return 1 + static_cast<std::int64_t>(seed % 5);
}
std::int64_t maxBatchOf(std::uint64_t seed) {
    return rowsOf(seed) + static_cast<std::int64_t>(seed / 5 % 3);
}

std::string check(const ProgramCase& drawn, std::uint64_t seed) {
    const std::size_t workBytes = seed % 2 == 0 ? std::size_t{1} << 20 : 1;
    for (const Program::Mode mode : {Program::Mode::Training, Program::Mode::Evaluation}) {
        auto made = program::makeCudaExecutor(compile(drawn.graph, maxBatchOf(seed), mode),
                                              {.workBytes = workBytes});
        if (!made) return made.error().message;
        const bool isTraining = mode == Program::Mode::Training;
        const std::string wrong =
            isTraining ? checkTraining(drawn, **made) : checkEvaluation(drawn, **made);
        if (!wrong.empty()) return (isTraining ? "training: " : "evaluation: ") + wrong;
    }
    return {};
}

}  // namespace

std::string playOnGpu(std::uint64_t seed, ProgramCounts& counts) {
    const auto drawn = drawCase(makeRandomGraph(seed), rowsOf(seed), seed);
    if (!drawn) return {};
    counts.addAll(compile(drawn->graph, maxBatchOf(seed), Program::Mode::Training));
    return check(*drawn, seed);
}

std::string playOnGpu(const model::Graph& graph) {
    const auto drawn = drawCase(graph, 1, 0);
    return drawn ? check(*drawn, 0) : "there are no numbers for it";
}

std::string playMeshOnGpu(std::uint64_t seed) {
    const auto drawn = drawCase(makeRandomGraph(seed), rowsOf(seed), seed);
    if (!drawn) return {};
    const auto layout = drawLayout(drawn->graph, static_cast<std::int64_t>(2 + seed % 2), seed);
    const auto make = [](Program part, std::int64_t, program::MeshGroup& group) {
        return program::makeCudaExecutor(std::move(part), {.group = &group});
    };
    SplitExecutor training(drawn->graph, layout, maxBatchOf(seed), Program::Mode::Training, make);
    std::string wrong = checkTraining(*drawn, training);
    if (wrong.empty()) wrong = training.problem();
    if (!wrong.empty()) return wrong;
    SplitExecutor evaluation(drawn->graph, layout, maxBatchOf(seed), Program::Mode::Evaluation,
                             make);
    wrong = checkEvaluation(*drawn, evaluation);
    return wrong.empty() ? evaluation.problem() : wrong;
}

std::string narrowDownOnGpu(std::uint64_t seed) {
    const auto graph = makeRandomGraph(seed);
    for (std::size_t nodes = 1; nodes <= graph.nodes.size(); ++nodes) {
        const auto drawn = drawCase(firstNodesOf(graph, nodes), rowsOf(seed), seed);
        std::string wrong = drawn ? check(*drawn, seed) : "";
        if (wrong.empty()) continue;
        for (const model::Node& node : drawn->graph.nodes)
            wrong += std::string("\n") + operationWord(node.operation) + " " +
                     model::toString(node.shape);
        return wrong;
    }
    return {};
}

}  // namespace lockstep::testing
