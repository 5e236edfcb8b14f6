// SPDX-License-Identifier: Apache-2.0
#include "core/train/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/collective/mesh_communicators.h"
#include "core/collective/nccl_loader.h"
#include "core/config/job/mesh.h"
#include "core/model/mesh/mesh_price.h"
#include "core/model/mesh/split_graph.h"
#include "core/train/replica/gpu_program.h"

namespace lockstep::train {

namespace {

/// Of the network's products in a step of `rows` samples.
double operationsOf(const tensor::EngineProgram& program, std::uint32_t rows) {
    double sum = 0;
    for (const tensor::EngineProduct& one : program.products)
        sum += 6.0 * static_cast<double>(one.positions) * static_cast<double>(one.inputs) *
               static_cast<double>(one.units);
    return sum * static_cast<double>(rows);
}

/// Words in which a row's members tell each other what an exchange needs, so that it takes one
/// round: two numbers are a word. More than a piece never travels at a time.
std::size_t wordsAtOnce(const model::Graph& part, std::uint32_t samples, int members) {
    constexpr std::int64_t kMost = std::int64_t{1} << 17;  // a piece of MeshExchanges
    const model::MeshPrice price = model::priceOf(part);
    const std::int64_t numbers =
        std::max(price.largestPerSample * std::int64_t{samples}, price.largestPerStep);
    // Pieces of equal size, one a member, may be a word longer each.
    return static_cast<std::size_t>(std::min((numbers + 1) / 2, kMost) + members);
}

Result<void> connectByNccl(const collective::CommunicatorOptions& options, int members,
                           Connection& connection) {
    collective::NcclOptions nccl;
    nccl.topology = options.topology;
    nccl.members = members;
    nccl.layout = options.layout;
    for (const tensor::GpuInfo& gpu : connection.gpus)
        nccl.devices.push_back(gpu.index);
    nccl.store = options.store;
    nccl.prefix = options.prefix;
    nccl.bindHost = options.bindHost;
    nccl.timeout = options.timeout;
    auto replicas = TRY(collective::makeNcclReplicas(nccl));
    for (std::size_t i = 0; i < replicas.size(); ++i) {
        connection.communicators.push_back(std::move(replicas[i].communicator));
        connection.links.push_back(replicas[i].links);
        if (members > 1) connection.mesh[i].model = std::move(replicas[i].model);
    }
    return {};
}

/// What the replicas of this process compute on.
Result<Connection> chooseDevices(const config::ClusterSpec& cluster,
                                 const tensor::GpuSupport& support, const wire::Welcome& roster,
                                 int process, const std::string& beyond) {
    Connection connection;
    connection.choice = TRY(decideGpus(cluster, roster, beyond));
    if (!connection.choice.note.empty())
        std::fprintf(stderr, "note: %s\n", connection.choice.note.c_str());
    if (!connection.choice.gpu) return connection;
    for (const int device : gpusOf(roster, static_cast<std::size_t>(process)))
        connection.gpus.push_back(support.devices[static_cast<std::size_t>(device)]);
    return connection;
}

}  // namespace

collective::Topology topologyOf(const wire::Welcome& roster, std::uint32_t process) {
    collective::Topology topology;
    for (const wire::Member& member : roster.members())
        topology.processes.push_back(
            {static_cast<int>(member.host_index()), static_cast<int>(member.replicas())});
    topology.thisProcess = static_cast<int>(process);
    return topology;
}

collective::TransportChoice transportOf(const config::ClusterSpec& cluster) {
    if (cluster.transport == config::Transport::Shm) return collective::TransportChoice::Shm;
    if (cluster.transport == config::Transport::Gloo) return collective::TransportChoice::Gloo;
    return collective::TransportChoice::Auto;
}

Result<tensor::GpuSupport> findGpus(const config::JobSpec& job) {
    if (job.cluster.device == config::DeviceKind::Cpu) return tensor::GpuSupport{};
    tensor::GpuSupport support = tensor::findGpuSupport();
    const bool insists = job.cluster.device == config::DeviceKind::Gpu;
    if (!support.usable() && insists) return fail(support.toError());
    return support;
}

Result<Connection> connectReplicas(const config::ClusterSpec& cluster,
                                   const tensor::GpuSupport& support, const wire::Welcome& roster,
                                   const collective::CommunicatorOptions& options,
                                   const std::string& beyond) {
    auto connection =
        TRY(chooseDevices(cluster, support, roster, options.topology.thisProcess, beyond));
    if (connection.choice.nccl)
        TRY(connectByNccl(options, 1, connection));
    else
        connection.communicators = TRY(collective::makeCommunicators(options));
    return connection;
}

Result<Connection> connectMesh(const JobContext& context, const tensor::GpuSupport& support,
                               const wire::Welcome& roster, collective::CommunicatorOptions options,
                               std::uint32_t largestShare) {
    const int members = context.job.distribution.model;
    const int replicas = options.topology.replicaCount();
    const collective::MeshGrid grid{.rows = replicas / members, .members = members};
    if (grid.replicaCount() != replicas)
        return fail(ErrorCode::BadInput,
                    fmt::format("distribution.mesh has {}, among which {} cannot be dealt out",
                                counted(members, "column"), counted(replicas, "replica")),
                    "Use a mesh.model that divides the number of replicas.");
    const auto layout = TRY(config::meshLayoutOf(context.job, context.network.graph()));
    auto connection =
        TRY(chooseDevices(context.job.cluster, support, roster, options.topology.thisProcess,
                          beyondWholeSteps(context.job.training, context.data)));
    std::size_t words = options.gatherWords;
    for (const int replica : options.topology.replicasOfProcess(options.topology.thisProcess)) {
        auto part = std::make_unique<program::Network>(
            model::splitGraph(context.network.graph(), layout, grid.columnOf(replica)));
        // Parts are alike: what is told of one holds for all.
        words = std::max(words, wordsAtOnce(part->graph(), largestShare, members));
        options.layout.parameters = part->parameterCount();
        options.layout.buckets = collective::planBuckets(part->cuts(), part->parameterCount());
        connection.mesh.push_back({std::move(part), nullptr});
    }
    if (connection.choice.nccl) {
        TRY(connectByNccl(options, members, connection));
        return connection;
    }
    auto joined = TRY(collective::makeMeshCommunicators(options, grid, words));
    for (std::size_t i = 0; i < joined.size(); ++i) {
        connection.communicators.push_back(std::move(joined[i].batch));
        connection.mesh[i].model = std::move(joined[i].model);
    }
    return connection;
}

ProgramPlace placeOf(const Connection& connection, std::size_t local,
                     const config::TrainingSpec& training) {
    if (!connection.choice.gpu || connection.choice.nccl) return {};
    return {.gpu = connection.gpus[local].index, .precision = precisionOf(training.precision)};
}

Result<std::unique_ptr<GpuSteps>> makeGpuSteps(Connection& connection, std::size_t local,
                                               const JobContext& context,
                                               const data::BatchPlan& batches, std::uint64_t seed,
                                               MeshMember* mesh) {
    if (!connection.choice.nccl) return nullptr;
    const program::Network& network =
        connection.mesh.empty() ? context.network : *connection.mesh[local].part;
    const auto programs =
        enginePrograms(context.job.training, network, context.data,
                       collective::planBuckets(network.cuts(), network.parameterCount()),
                       batches.largestShare(), seed);
    const int device = connection.gpus[local].index;
    auto engine =
        TRY(program::makeCudaEngine(programs, {.device = device}, connection.links[local]));
    std::fprintf(stderr, "gpu:%d %s: %s\n", device, connection.gpus[local].name.c_str(),
                 engine->describe().c_str());
    return std::make_unique<GpuSteps>(std::move(engine), context.job.training, batches,
                                      *connection.communicators[local],
                                      operationsOf(programs.steps, batches.largestShare()), mesh);
}

}  // namespace lockstep::train
