// SPDX-License-Identifier: Apache-2.0
#include "core/job/handover/layer_times.h"

#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/program/compile.h"
#include "core/program/cpu/time_program.h"

namespace lockstep::job {

namespace {
constexpr int kSteps = 3;
}

Result<LayerTimes> timeLayers(const model::Graph& graph, int samples) {
    flushDenormals();
    const auto program = program::compile(graph, samples, program::Program::Mode::Training);
    const auto times = TRY(program::timeProgram(program, kSteps));
    LayerTimes layers{.samples = samples};
    layers.milliseconds.resize(graph.layers.size());
    const auto add = [&](const auto& instructions, const std::vector<Nanos>& took) {
        for (std::size_t i = 0; i < instructions.size() && i < took.size(); ++i) {
            const int node = instructions[i].node;
            const int layer = node < 0 ? -1 : graph.nodes[static_cast<std::size_t>(node)].layer;
            if (layer < 0) continue;
            layers.milliseconds[static_cast<std::size_t>(layer)] +=
                std::chrono::duration<double, std::milli>(took[i]).count() / times.steps;
        }
    };
    add(program.forward, times.forward);
    add(program.backward, times.backward);
    return layers;
}

}  // namespace lockstep::job
