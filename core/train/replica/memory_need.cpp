// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/memory_need.h"

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <set>
#include <string>

#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/collective/host_segment.h"
#include "core/config/job/cluster_spec.h"
#include "core/config/job/mesh.h"
#include "core/data/prefetch.h"
#include "core/model/mesh/split_graph.h"
#include "core/optim/optimizer.h"
#include "core/program/compile.h"
#include "core/program/cpu/convolution_use.h"
#include "core/program/cpu/mesh_exchanges.h"
#include "core/program/job_network.h"
#include "core/tensor/cpu/layers/convolution.h"
#include "core/train/replica/evaluation.h"

namespace lockstep::train {

namespace {

using program::Program;

/// Samples of a step's part, and what the program computes of them.
std::uint64_t bytesOf(const Program& program, const program::Network& network) {
    const auto samples = static_cast<std::uint64_t>(program.maxBatch) * network.inputFeatures();
    return (static_cast<std::uint64_t>(program.arenaFloats) + samples) * sizeof(float);
}

/// What the program's convolutions keep besides the values: made here as a step makes them, for a
/// moment. The tiles' memory is the thread's: the largest counts.
Result<std::uint64_t> convolutionBytes(std::initializer_list<const Program*> programs) {
    std::uint64_t own = 0;
    std::uint64_t tiles = 0;
    for (const Program* program : programs)
        for (const auto* instructions : {&program->forward, &program->backward})
            for (const program::Instruction& instruction : *instructions) {
                const auto use =
                    program::convolutionUse(program::KernelSource(*program, instruction));
                if (!use) continue;
                const auto made = TRY(tensor::Convolution::make(
                    use->shape, {use->pass}, program->methods.of(use->shape, use->pass)));
                own += made.ownBytes();
                tiles = std::max<std::uint64_t>(tiles, made.tileBytes());
            }
    return own + tiles;
}

/// How many replicas have their column's memory together.
int sharersOf(const config::JobSpec& job) {
    if (job.cluster.transport == config::Transport::Gloo) return 1;
    const auto hosts = config::processHosts(job);
    const std::set<std::string> different(hosts.begin(), hosts.end());
    return std::max(config::batchReplicas(job) / std::max(static_cast<int>(different.size()), 1),
                    1);
}

/// A replica's share of its column's segment.
std::uint64_t stateBytes(const config::JobSpec& job, const program::Network& part) {
    const int sharers = sharersOf(job);
    collective::SegmentShape shape;
    shape.parameters = part.parameterCount();
    const auto optimizer = optim::Optimizer::make(job.training);
    shape.moments = optimizer ? optimizer->momentCount() : 0;
    shape.replicas.resize(static_cast<std::size_t>(sharers));
    std::iota(shape.replicas.begin(), shape.replicas.end(), 0);
    shape.worldReplicas = config::batchReplicas(job);
    shape.exchanges = sharers < shape.worldReplicas;
    const std::uint64_t parts = job.training.gradientAccumulationSteps > 1 ? 1 : 0;
    return collective::HostSegment::bytesOf(shape) / static_cast<std::uint64_t>(sharers) +
           parts * part.parameterCount() * sizeof(float);
}

/// Bytes of the buffers in which members of a row hand on `floats` at a time: their own numbers and
/// those of all, as words; and in the executor, as numbers.
std::uint64_t exchangeBytes(const Program& program, std::uint64_t members) {
    const std::uint64_t floats = program::MeshExchanges(program, nullptr).largest();
    return floats * sizeof(float) * (1 + 2 * members);
}

/// Batches that are prepared ahead, as they are stored: images as bytes, tokens as 16 bits, all
/// else as numbers.
std::uint64_t batchesBytes(const config::JobSpec& job, const model::DataFacts& facts,
                           std::uint64_t samples) {
    const auto numbers = static_cast<std::uint64_t>(model::elementCount(facts.input));
    const bool isText = facts.vocabulary > 0;
    const bool hasNumbers = job.data.dataset == "table" || job.data.dataset == "arrays";
    const std::uint64_t sample = numbers * (isText       ? sizeof(std::uint16_t)
                                            : hasNumbers ? sizeof(float)
                                                         : 1);
    const std::uint64_t target =
        isText ? sample
               : std::max(sizeof(std::uint16_t),
                          static_cast<std::uint64_t>(facts.values) * sizeof(float));
    const std::uint64_t batch = samples * (sample + target);
    data::PrefetchOptions options{.depth = static_cast<std::uint32_t>(job.data.prefetch)};
    if (!job.data.augment.empty())
        options.mostThreads =
            static_cast<unsigned>(std::max(availableProcessors() / job.cluster.localReplicas(), 1));
    return batch * data::Prefetcher::slotsOf(batch, options);
}

}  // namespace

Result<MemoryNeed> memoryNeedOf(const config::JobSpec& job, const model::DataFacts& facts) {
    const auto whole = TRY(program::makeNetwork(job.model, facts, job.training.loss));
    const auto layout = TRY(config::meshLayoutOf(job, whole.graph()));
    const auto members = static_cast<std::uint64_t>(job.distribution.model);
    const program::Network part(members > 1 ? model::splitGraph(whole.graph(), layout, 0)
                                            : whole.graph());
    const auto rows = static_cast<std::int64_t>(config::batchReplicas(job));
    const std::int64_t parts = job.training.gradientAccumulationSteps;
    const std::int64_t share = (job.training.globalBatchSize + rows - 1) / rows;
    const Program step =
        program::compile(part.graph(), (share + parts - 1) / parts, Program::Mode::Training);
    const Program evaluation = SplitEvaluator::programFor(part);
    MemoryNeed need{.state = stateBytes(job, part),
                    .step = bytesOf(step, part),
                    .evaluation = bytesOf(evaluation, part),
                    .batches = batchesBytes(job, facts, static_cast<std::uint64_t>(share))};
    need.convolutions = TRY(convolutionBytes({&step, &evaluation}));
    if (members > 1)
        need.exchange = exchangeBytes(step, members) + exchangeBytes(evaluation, members);
    return need;
}

}  // namespace lockstep::train
