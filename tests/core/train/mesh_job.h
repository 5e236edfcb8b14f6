// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/collective/mesh_communicators.h"
#include "core/model/mesh/split_graph.h"
#include "tests/core/train/small_job.h"

// A small job whose replicas share the tensors of one network. Processes are threads here;
// everything else is what workers use.
namespace lockstep::tests {

/// How it is spread. The first of `hosts`' replicas are the first row's.
struct MeshSpread {
    int members = 2;
    std::vector<model::LayoutRule> rules{};  ///< Empty: megatronRules().
    std::vector<std::vector<int>> hosts{{1, 1}};
    collective::TransportChoice transport = collective::TransportChoice::Auto;
    train::StartPoint start{.seed = 1};
    std::int64_t totalSteps = 0;
    train::RunEvents* events = nullptr;
    /// Of members that write their parts of sharded checkpoints themselves; may be empty.
    std::map<int, std::unique_ptr<checkpoint::ShardWriter>> writers{};
    std::vector<int> handed{};  ///< See train::ShardPlace.
    /// What a member is given as its column's instead, to be watched. May be empty.
    std::function<collective::Communicator&(collective::Communicator&, int replica)> wrap{};
    /// Of each process what it has read of a checkpoint, see train::ReplicaSetup; empty: replica 0
    /// hands out the whole state.
    std::vector<std::map<int, train::WholeState>*> parts{};
    std::array<std::atomic<bool>, 8> stopRequested{};
};

class MeshRun {
public:
    MeshRun(const SmallJob& small, MeshSpread& spread)
        : small_(small),
          spread_(spread),
          topology_(topologyOf(Spread{.hosts = spread.hosts})),
          grid_{topology_.replicaCount() / spread.members, spread.members},
          layout_(model::layOut(small.network.graph(),
                                spread.rules.empty() ? model::megatronRules(small.network.graph())
                                                     : spread.rules,
                                spread.members)
                      .value()),
          batches_(
              data::BatchPlan::make(small.data.train->count,
                                    static_cast<std::uint32_t>(small.job.training.globalBatchSize),
                                    grid_.rows, spread.start.seed)
                  .value()),
          result_(static_cast<std::size_t>(topology_.replicaCount())) {
        plan_ = train::TrainingPlan::make(small.job, batches_.stepsPerEpoch(), spread.start.seed);
        if (spread.totalSteps > 0) plan_.totalSteps = spread.totalSteps;
        plan_.firstStep = spread.start.step;
        for (const int host : topology_.hosts())
            memories_[host] = UniqueFd(memfd_create("replicas", MFD_CLOEXEC));
    }

    RunResult run() {
        {
            std::vector<std::jthread> processes;
            for (int process = 0; process < topology_.processCount(); ++process)
                processes.emplace_back([this, process] { runProcess(process); });
        }
        RunResult ofRows(static_cast<std::size_t>(grid_.rows));
        for (int row = 0; row < grid_.rows; ++row)
            ofRows.records[static_cast<std::size_t>(row)] =
                result_.records[static_cast<std::size_t>(grid_.replica(row, 0))];
        result_.losses = globalLosses(ofRows, batches_);
        return std::move(result_);
    }

private:
    collective::CommunicatorOptions optionsOf(int process, const program::Network& part) {
        collective::CommunicatorOptions options;
        options.topology = topology_;
        options.topology.thisProcess = process;
        options.transport = spread_.transport;
        options.layout.parameters = part.parameterCount();
        options.layout.buckets = collective::planBuckets(part.cuts(), part.parameterCount());
        options.layout.moments = small_.optimizer.momentCount();
        options.segmentFd =
            memories_.at(topology_.processes[static_cast<std::size_t>(process)].host).get();
        options.store = &store_;
        options.prefix = "small/0/";
        options.bindHost = "127.0.0.1";
        return options;
    }

    void runProcess(int process) {
        const std::vector<int> own = topology_.replicasOfProcess(process);
        std::vector<std::unique_ptr<program::Network>> parts;
        for (const int replica : own)
            parts.push_back(std::make_unique<program::Network>(
                splitGraph(small_.network.graph(), layout_, grid_.columnOf(replica))));
        auto connections =
            collective::makeMeshCommunicators(optionsOf(process, *parts.front()), grid_, 4096);
        if (!connections) {
            result_.outcomes[static_cast<std::size_t>(own.front())] = fail(connections.error());
            return;
        }
        std::vector<std::jthread> replicas;
        for (std::size_t i = 0; i < own.size(); ++i)
            replicas.emplace_back([this, &connection = (*connections)[i], &part = *parts[i],
                                   replica = own[i]] { runReplica(connection, part, replica); });
    }

    void runReplica(collective::MeshConnection& connection, const program::Network& part,
                    int replica) {
        const auto index = static_cast<std::size_t>(replica);
        const auto device = tensor::openCpuDevice(replica);
        telemetry::StepRing ring(static_cast<std::uint32_t>(replica));
        telemetry::ReplicaProgressCell progress;
        collective::Communicator& column =
            spread_.wrap ? spread_.wrap(*connection.batch, replica) : *connection.batch;
        train::MeshMember mesh(small_.network, part, column, *connection.model, progress);
        std::optional<train::WholeState> whole;
        if (replica == 0 && spread_.parts.empty()) {
            whole.emplace(small_.optimizer, small_.network);
            if (const auto applied =
                    train::applyStart(spread_.start, small_.network, small_.optimizer,
                                      whole->buffers(), whole->statistics);
                !applied)
                result_.outcomes[0] = fail(applied.error());
        }
        const train::ReplicaSetup setup{
            .job = small_.job,
            .plan = plan_,
            .data = small_.data,
            .batches = batches_,
            .network = part,
            .optimizer = small_.optimizer,
            .objective = small_.objective,
            .device = *device,
            .communicator = column,
            .ring = &ring,
            .progress = progress,
            .stopRequested = spread_.stopRequested[index],
            .place = {.group = &mesh},
            .mesh = &mesh,
            .whole = whole ? &*whole : nullptr,
            .parts = spread_.parts.empty() || !mesh.isInFirstRow()
                         ? nullptr
                         : spread_.parts.at(static_cast<std::size_t>(topology_.processOf(replica))),
            .shards = {spread_.writers.contains(replica) ? spread_.writers.at(replica).get()
                                                         : nullptr,
                       spread_.handed},
            .events = replica == 0 ? spread_.events : nullptr,
            .epochSoFar = replica == 0 ? spread_.start.epochSoFar : train::SplitScore{},
            .epochEndDue = spread_.start.epochEndDue,
            .skippedSteps = spread_.start.skippedSteps,
            .resumed = replica == 0 ? spread_.start.resumed() : nullptr,
        };
        auto loop = train::ReplicaLoop::make(setup);
        auto outcome = loop ? loop->run() : Result<train::TrainingOutcome>(fail(loop.error()));
        if (!outcome) {
            connection.batch->abort();
            connection.model->abort();
        }
        result_.outcomes[index] = std::move(outcome);
        const auto parameters = connection.batch->parameters();
        result_.parameters[index].assign(parameters.begin(), parameters.end());
        result_.backend = connection.batch->backend();
        result_.progress[index] = progress.read();
        ring.drainLast(0, result_.records[index]);
    }

    const SmallJob& small_;
    MeshSpread& spread_;
    const collective::Topology topology_;
    const collective::MeshGrid grid_;
    const model::MeshLayout layout_;
    const data::BatchPlan batches_;
    train::TrainingPlan plan_;
    MemoryStore store_;
    std::map<int, UniqueFd> memories_;
    RunResult result_;
};

inline RunResult trainOnMesh(const SmallJob& small, MeshSpread& spread) {
    return MeshRun(small, spread).run();
}

}  // namespace lockstep::tests
