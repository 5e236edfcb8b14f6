// SPDX-License-Identifier: Apache-2.0
#include "core/train/connection.h"

#include <cstdio>

#include "core/base/try.h"
#include "core/collective/nccl_loader.h"
#include "core/tensor/cuda_module.h"
#include "core/train/replica/gpu_program.h"

namespace lockstep::train {

namespace {

/// Of the network's products in a step of `rows` samples.
double operationsOf(const tensor::EngineProgram& program, std::uint32_t rows) {
    double sum = 0;
    for (const tensor::EngineLayer& layer : program.layers)
        sum += 6.0 * static_cast<double>(layer.inputs) * static_cast<double>(layer.units);
    return sum * static_cast<double>(rows);
}

Result<void> connectByNccl(const collective::CommunicatorOptions& options,
                           const std::vector<int>& devices, Connection& connection) {
    collective::NcclOptions nccl;
    nccl.topology = options.topology;
    nccl.layout = options.layout;
    nccl.devices = devices;
    nccl.store = options.store;
    nccl.prefix = options.prefix;
    nccl.bindHost = options.bindHost;
    nccl.timeout = options.timeout;
    auto replicas = collective::makeNcclReplicas(nccl);
    if (!replicas) return fail(std::move(replicas).error());
    for (collective::NcclReplica& one : *replicas) {
        connection.communicators.push_back(std::move(one.communicator));
        connection.reducers.push_back(one.reducer);
    }
    return {};
}

}  // namespace

Result<tensor::GpuSupport> findGpus(const config::JobSpec& job, const program::Network& network,
                                    const data::Dataset& data) {
    const config::ClusterSpec& cluster = job.cluster;
    if (cluster.device == config::DeviceKind::Cpu) return tensor::GpuSupport{};
    const bool insists = cluster.device == config::DeviceKind::Gpu;
    tensor::GpuSupport support = tensor::findGpuSupport();
    if (!support.usable()) {
        if (insists) return fail(support.toError());
        return support;
    }
    auto able = checkEngineCan(job.training, network, data);
    if (able) return support;
    if (insists) return fail(std::move(able).error());
    support.state = tensor::GpuState::Unsupported;
    support.sentence = able.error().message;
    return support;
}

Result<Connection> connectReplicas(const config::ClusterSpec& cluster,
                                   const tensor::GpuSupport& support,
                                   const collective::CommunicatorOptions& options) {
    auto choice = agreeOnGpus(cluster, options.topology, support, *options.store, options.prefix,
                              options.timeout);
    if (!choice) return fail(std::move(choice).error());
    if (!choice->note.empty()) std::fprintf(stderr, "note: %s\n", choice->note.c_str());
    Connection connection;
    connection.choice = std::move(*choice);
    std::vector<int> devices;
    if (connection.choice.gpu) devices = gpusOf(options.topology, support.devices.size());
    for (const int device : devices)
        connection.gpus.push_back(support.devices[static_cast<std::size_t>(device)]);
    if (connection.choice.nccl) {
        if (auto joined = connectByNccl(options, devices, connection); !joined)
            return fail(std::move(joined).error());
        return connection;
    }
    auto communicators = collective::makeCommunicators(options);
    if (!communicators) return fail(std::move(communicators).error());
    connection.communicators = std::move(*communicators);
    return connection;
}

Result<std::unique_ptr<GpuReplica>> makeGpuReplica(Connection& connection, std::size_t local,
                                                   const JobContext& context,
                                                   const data::BatchPlan& batches) {
    if (!connection.choice.gpu) return nullptr;
    const auto program = TRY(engineProgram(
        context.job.training, context.network, context.data,
        collective::planBuckets(context.network.cuts(), context.network.parameterCount()),
        batches.largestShare()));
    const auto module = TRY(tensor::loadCudaModule());
    const bool whole = connection.choice.nccl;
    tensor::DeviceReducer* reducer = whole ? connection.reducers[local] : nullptr;
    const int device = connection.gpus[local].index;
    auto engine = module.table.makeEngine(device, program, reducer);
    if (!engine) return fail(std::move(engine).error());
    std::fprintf(stderr, "gpu:%d %s: %s\n", device, connection.gpus[local].name.c_str(),
                 (*engine)->describe().c_str());
    return std::make_unique<GpuReplica>(
        std::move(*engine), whole ? GpuMode::Whole : GpuMode::Gradients, context.job.training,
        batches, *connection.communicators[local], operationsOf(program, batches.largestShare()));
}

}  // namespace lockstep::train
