// SPDX-License-Identifier: Apache-2.0
#include "core/program/time_program.h"

#include <algorithm>
#include <tuple>
#include <variant>

#include "core/base/rng.h"
#include "core/base/try.h"
#include "core/model/initialise.h"
#include "core/program/network.h"

namespace lockstep::program {

namespace {

/// Rows of the table that an embedding reads by this input; 0: none does.
std::int64_t tableRowsOf(const model::Graph& graph, int input) {
    for (const model::Node& node : graph.nodes) {
        const bool reads =
            std::holds_alternative<model::Embedding>(node.operation) && node.inputs[0] == input;
        if (reads) return graph.tensors[static_cast<std::size_t>(node.tensors[0])].shape[0];
    }
    return 0;
}

/// Of each number of a sample: below what it stays, as a whole number; 0: any number will do.
std::vector<std::int64_t> rowsOfTables(const model::Graph& graph) {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(graph.sampleSize()));
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const auto* input = std::get_if<model::Input>(&graph.nodes[i].operation);
        if (input == nullptr) continue;
        std::int64_t first = 0;
        if (input->column >= 0) first = model::elementCount(graph.input);
        for (std::int64_t column = 0; column < input->column; ++column)
            first += model::elementCount(graph.columns[static_cast<std::size_t>(column)]);
        std::fill_n(rows.begin() + first, model::elementCount(graph.nodes[i].shape),
                    tableRowsOf(graph, static_cast<int>(i)));
    }
    return rows;
}

std::vector<float> drawSamples(const Program& program) {
    CounterRng rng(1);
    const auto rows = rowsOfTables(program.graph);
    std::vector<float> samples(static_cast<std::size_t>(program.maxBatch) * rows.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const auto bound = static_cast<std::uint32_t>(rows[i % rows.size()]);
        samples[i] = bound > 0 ? static_cast<float>(rng.nextBelow(bound)) : rng.nextFloat();
    }
    return samples;
}

}  // namespace

Result<InstructionTimes> timeProgram(Executor& executor, int steps) {
    const Program& program = executor.program();
    const Network network(program.graph);
    std::vector<float> parameters(network.parameterCount());
    std::vector<float> statistics(network.statisticsCount());
    network.initialise(parameters, 1, statistics);
    std::vector<float> gradients(parameters.size());
    const std::vector<float> samples = drawSamples(program);
    NoReplicaSum alone;
    InstructionTimes times;
    for (int step = 0; step <= steps; ++step) {
        if (step == 1) executor.timeInto(&times);
        std::ignore =
            TRY(executor.forward({.samples = samples, .rows = program.maxBatch, .step = step},
                                 parameters, statistics, alone));
        CounterRng rng(2);
        for (float& number : executor.outputGradient())
            number = rng.nextFloat(-0.01F, 0.01F);
        TRY(executor.backward(parameters, gradients, alone, {}));
    }
    executor.timeInto(nullptr);
    times.steps = steps;
    return times;
}

}  // namespace lockstep::program
