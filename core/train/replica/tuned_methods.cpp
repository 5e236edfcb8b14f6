// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/tuned_methods.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/try.h"
#include "core/config/job/mesh.h"
#include "core/model/mesh/split_graph.h"
#include "core/program/compile.h"
#include "core/program/cpu/tune_convolutions.h"

namespace lockstep::train {

namespace {

/// "result of 28x28x32 by 3x3x64: tiles"
std::vector<std::string> linesOf(const tensor::ConvolutionMethods& methods) {
    std::vector<std::string> lines;
    for (const auto& [pass, method] : methods.words())
        lines.push_back(fmt::format("{}: {}", pass, method));
    return lines;
}

}  // namespace

Result<tensor::ConvolutionMethods> tunedMethods(const JobContext& context,
                                                const data::BatchPlan& batches,
                                                const tensor::ConvolutionMethods& known,
                                                bool hasGpus) {
    const config::TrainingSpec& training = context.job.training;
    if (!training.tune) return tensor::ConvolutionMethods{};
    if (hasGpus) {
        std::fprintf(stderr,
                     "note: training.tune chooses among methods of the processor; this job "
                     "computes on GPUs\n");
        return tensor::ConvolutionMethods{};
    }
    const auto parts = static_cast<std::uint32_t>(training.gradientAccumulationSteps);
    // Of a mesh the members' parts have equal shapes: the first one's stands for all.
    std::optional<model::Graph> split;
    if (config::isModelParallel(context.job))
        split =
            model::splitGraph(context.network.graph(),
                              TRY(config::meshLayoutOf(context.job, context.network.graph())), 0);
    program::Program step = program::compile(split ? *split : context.network.graph(),
                                             (batches.largestShare() + parts - 1) / parts,
                                             program::Program::Mode::Training);
    step.methods = known;
    const Nanos begin = SteadyClock::read();
    auto methods = TRY(program::tuneConvolutions(step));
    const double seconds = std::chrono::duration<double>(SteadyClock::read() - begin).count();
    if (methods.isEmpty())
        std::fprintf(stderr, "note: training.tune: the network has no convolutions to measure\n");
    else
        std::fprintf(
            stderr, "%s\n",
            fmt::format("note: training.tune took {:.1f} s; convolutions are computed so: {}",
                        seconds, fmt::join(linesOf(methods), "; "))
                .c_str());
    return methods;
}

}  // namespace lockstep::train
