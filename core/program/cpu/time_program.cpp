// SPDX-License-Identifier: Apache-2.0
#include "core/program/cpu/time_program.h"

#include <algorithm>
#include <tuple>
#include <variant>

#include "core/base/rng.h"
#include "core/base/try.h"
#include "core/model/initialise.h"
#include "core/program/cpu/cpu_executor.h"
#include "core/program/network.h"

namespace lockstep::program {

namespace {

/// Numbers that an input may take: indices of a table where an embedding reads it, else any.
std::int64_t tableRowsOf(const model::Graph& graph, int input) {
    for (const model::Node& node : graph.nodes) {
        const bool reads =
            std::holds_alternative<model::Embedding>(node.operation) && node.inputs[0] == input;
        if (reads) return graph.tensors[static_cast<std::size_t>(node.tensors[0])].shape[0];
    }
    return 0;
}

std::vector<float> drawSamples(const Program& program) {
    CounterRng rng(1);
    std::vector<float> samples(
        static_cast<std::size_t>(program.maxBatch * model::elementCount(program.graph.input)));
    const std::int64_t rows = tableRowsOf(program.graph, 0);
    for (float& number : samples)
        number = rows > 0 ? static_cast<float>(rng.nextBelow(static_cast<std::uint32_t>(rows)))
                          : rng.nextFloat();
    return samples;
}

}  // namespace

Result<InstructionTimes> timeProgram(const Program& program, int steps) {
    const auto device = tensor::openCpuDevice();
    const auto executor = TRY(CpuExecutor::make(*device, program));
    const Network network(program.graph);
    std::vector<float> parameters(network.parameterCount());
    std::vector<float> statistics(network.statisticsCount());
    network.initialise(parameters, 1, statistics);
    std::vector<float> gradients(parameters.size());
    const std::vector<float> samples = drawSamples(program);
    NoReplicaSum alone;
    InstructionTimes times;
    for (int step = 0; step <= steps; ++step) {
        if (step == 1) executor->timeInto(&times);
        std::ignore =
            TRY(executor->forward({.samples = samples, .rows = program.maxBatch, .step = step},
                                  parameters, statistics, alone));
        CounterRng rng(2);
        for (float& number : executor->outputGradient())
            number = rng.nextFloat(-0.01F, 0.01F);
        TRY(executor->backward(parameters, gradients, alone, {}));
    }
    times.steps = steps;
    return times;
}

}  // namespace lockstep::program
