// SPDX-License-Identifier: Apache-2.0
#include "core/program/compile.h"

#include "core/program/emitter.h"
#include "core/program/memory_plan.h"

namespace lockstep::program {

Program compile(const model::Graph& graph, std::int64_t maxBatch, Program::Mode mode) {
    Program program{.graph = graph, .layout = ParameterLayout::of(graph), .mode = mode};
    program.maxBatch = maxBatch;
    Emitter emitter(program);
    emitter.emitForward();
    if (mode == Program::Mode::Training) emitter.emitBackward();
    planMemory(program);
    return program;
}

}  // namespace lockstep::program
