// SPDX-License-Identifier: Apache-2.0
// The part of lockstep-cuda.so that joins replicas.
#include <fmt/format.h>

#include "core/base/hash.h"
#include "core/base/try.h"
#include "core/collective/nccl/nccl_communicator.h"
#include "core/collective/nccl_loader.h"
#include "core/tensor/cuda_module.h"

namespace lockstep::collective {
namespace {

/// Everything that all processes must agree on.
std::string modelOf(const NcclOptions& options) {
    std::string text = fmt::format("{} {} {} {}", options.prefix, options.members,
                                   options.layout.parameters, options.layout.moments);
    for (const Range& bucket : options.layout.buckets)
        text += fmt::format(" {}-{}", bucket.begin, bucket.end);
    return contentHash(text);
}

/// Before NCCL connects: with another model somewhere it would wait for sums that never come.
Result<void> compareModels(const NcclOptions& options) {
    const Topology& topology = options.topology;
    if (topology.processCount() == 1) return {};
    const std::string mine = modelOf(options);
    const auto key = [&](int process) {
        return fmt::format("{}/nccl/model/{}", options.prefix, process);
    };
    TRY(options.store->set(key(topology.thisProcess), mine));
    for (int process = 0; process < topology.processCount(); ++process) {
        const auto theirs = options.store->get(key(process), options.timeout);
        if (!theirs)
            return failWithin(fmt::format("waiting for process {}", process), theirs.error());
        if (*theirs != mine)
            return fail(ErrorCode::BadInput,
                        fmt::format("process {} computes another model than process {}", process,
                                    topology.thisProcess),
                        "Start all processes with the same job file.");
    }
    return {};
}

Result<std::vector<NcclReplica>> makeReplicas(const NcclOptions& options) {
    if (auto good = options.topology.check(); !good) return fail(std::move(good).error());
    if (auto same = compareModels(options); !same) return fail(std::move(same).error());
    auto group = NcclGroup::join(options);
    if (!group) return fail(std::move(group).error());
    std::vector<NcclReplica> replicas;
    for (std::size_t local = 0; local < options.devices.size(); ++local) {
        auto batch = TRY(NcclCommunicator::make(*group, options, local));
        NcclReplica replica;
        replica.links.reducer = batch.get();
        if (options.members > 1) {
            auto model = TRY(NcclCommunicator::make(*group, options, local, NcclAxis::Model));
            replica.links.gatherer = model.get();
            replica.model = std::move(model);
        }
        replica.communicator = std::move(batch);
        replicas.push_back(std::move(replica));
    }
    return replicas;
}

constexpr NcclModuleTable kTable{.makeReplicas = &makeReplicas, .version = NCCL_VERSION_CODE};

}  // namespace
}  // namespace lockstep::collective

extern "C" __attribute__((visibility("default"))) const lockstep::collective::NcclModuleTable*
lockstepNcclModule(std::uint32_t abi) {
    return abi == lockstep::tensor::kCudaModuleAbi ? &lockstep::collective::kTable : nullptr;
}
