// SPDX-License-Identifier: Apache-2.0
#include "app/print_program.h"

#include <cstdio>
#include <filesystem>

#include "app/terminal/error_output.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/config/job/mesh.h"
#include "core/config/job/model_spec.h"
#include "core/config/lint/known_dataset.h"
#include "core/data/data_facts.h"
#include "core/model/build_graph.h"
#include "core/model/mesh/split_graph.h"
#include "core/program/compile.h"
#include "core/program/cpu/time_program.h"
#include "core/program/cuda_programs.h"
#include "core/program/print.h"
#include "core/program/time_program.h"
#include "core/train/replica/gpu_program.h"

namespace lockstep::app {

namespace {

/// Enough for a mean that says where the time goes.
constexpr int kTimedSteps = 10;

Result<config::JobSpec> specOf(const JobArgument& job) {
    auto document = TRY(loadJob(job.file));
    for (const std::string& setting : job.settings)
        TRY(document.applySetting(setting));
    auto spec = TRY(document.checked());
    if (spec.launch.runsOwnProgram())
        return fail(ErrorCode::BadInput,
                    job.file + " has no network: launch.command is what trains",
                    "Leave out --print-program.");
    return spec;
}

/// What the network must know of the job's data; read from their files where only these tell.
Result<model::DataFacts> factsOf(const config::JobSpec& spec, const std::string& file) {
    if (auto known = config::knownFacts(spec.data)) return *std::move(known);
    std::error_code error;
    return data::readDataFacts(spec.data, std::filesystem::absolute(file, error).parent_path());
}

/// Of the replica that has most of a batch, and of the part of it that is computed at once; of a
/// mesh the first one.
Result<program::Program> programOf(const config::JobSpec& spec, const std::string& file) {
    const auto graph =
        model::buildGraph(config::descriptionOf(spec.model), TRY(factsOf(spec, file)));
    if (!graph)
        return fail(ErrorCode::BadInput, file + ": " + model::sentenceOf(graph.error()),
                    graph.error().remedy);
    const int replicas = config::batchReplicas(spec);
    const int share = (spec.training.globalBatchSize + replicas - 1) / replicas;
    const int parts = spec.training.gradientAccumulationSteps;
    const auto compiled = [&](const model::Graph& own) {
        return program::compile(own, (share + parts - 1) / parts, program::Program::Mode::Training);
    };
    if (!config::isModelParallel(spec)) return compiled(*graph);
    return compiled(model::splitGraph(*graph, TRY(config::meshLayoutOf(spec, *graph)), 0));
}

Result<std::string> textOf(const JobArgument& job, bool isTimed) {
    const config::JobSpec spec = TRY(specOf(job));
    const auto program = TRY(programOf(spec, job.file));
    if (isTimed && config::isModelParallel(spec))
        return fail(ErrorCode::BadInput,
                    "a member of a mesh computes together with the others of its row, so its "
                    "program cannot be timed alone",
                    "Leave --time out, or set distribution.mesh.model to 1.");
    if (!isTimed) return program::toText(program);
    flushDenormals();
    if (spec.cluster.device != config::DeviceKind::Gpu)
        return program::toText(program, TRY(program::timeProgram(program, kTimedSteps)));
    const auto executor = TRY(program::makeCudaExecutor(
        program, {.precision = train::precisionOf(spec.training.precision)}));
    return program::toText(program, TRY(program::timeProgram(*executor, kTimedSteps)));
}

}  // namespace

void addPrintOptions(ArgumentList program, PrintArguments& arguments) {
    const Argument isWanted = program.addFlag(
        "--print-program", arguments.isWanted,
        "print what a step of the job file computes, an instruction a line, and end");
    program
        .addFlag("--time", arguments.isTimed,
                 "with --print-program: run it on drawn numbers, on a GPU where cluster.device is "
                 "\"gpu\", and print what each instruction takes")
        .needing(isWanted);
}

int printProgram(const JobArgument& job, bool isTimed) {
    if (job.file.empty())
        return report({ErrorCode::BadInput,
                       "--print-program shows what a job file computes, and none is named",
                       "Write for example lockstep-worker --print-program job.toml."});
    const auto text = textOf(job, isTimed);
    if (!text) return report(text.error());
    std::fputs(text->c_str(), stdout);
    return finishOutput();
}

}  // namespace lockstep::app
