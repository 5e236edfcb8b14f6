// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/mesh_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/config/job/cluster_spec.h"
#include "core/config/job/mesh.h"
#include "core/config/job/model_spec.h"
#include "core/config/lint/known_dataset.h"
#include "core/model/build_graph.h"
#include "core/model/mesh/mesh_price.h"
#include "core/model/mesh/split_graph.h"

namespace lockstep::config {

namespace {

/// "a.weight is", "a.weight and b.weight are"
std::string isOrAre(const std::vector<std::string>& names) {
    return fmt::format("{} {}", joinWords(names), names.size() == 1 ? "is" : "are");
}

/// The numbers of columns that so many replicas can be dealt out to.
std::string columnsFor(int replicas) {
    std::vector<int> columns;
    for (int one = 1; one <= replicas && columns.size() < 8; ++one)
        if (replicas % one == 0) columns.push_back(one);
    return fmt::format("{}", fmt::join(columns, ", "));
}

bool hasPlaceForAll(const JobSpec& spec) {
    const DistributionSpec& mesh = spec.distribution;
    const int replicas = spec.cluster.replicaCount();
    if (mesh.batch == 0) return replicas % mesh.model == 0;
    return mesh.batch * mesh.model == replicas;
}

bool hasRules(const JobSpec& spec) {
    return spec.distribution.isMegatron || !spec.distribution.layout.empty();
}

/// "1.5 MiB"
std::string bytesText(double bytes) {
    constexpr double kMiB = 1 << 20;
    if (bytes < kMiB) return fmt::format("{:.1f} KiB", bytes / 1024);
    return fmt::format("{:.1f} MiB", bytes / kMiB);
}

/// Numbers that an optimiser keeps for each parameter.
int momentsOf(const TrainingSpec& training) {
    const int average = training.average.isUsed ? 1 : 0;
    switch (training.optimizer) {
        case OptimizerKind::Sgd:
            return average + (training.momentum > 0 ? 1 : 0);
        case OptimizerKind::Adam:
        case OptimizerKind::AdamW:
            return average + 2;
        case OptimizerKind::RmsProp:
            return average + (training.momentum > 0 ? 2 : 1);
        case OptimizerKind::Lion:
            return average + 1;
    }
    return average;
}

/// Where rows of the mesh may lie on several hosts, or are asked to act as if they did.
bool crossesANetwork(const JobSpec& spec) {
    if (spec.cluster.transport == Transport::Gloo) return true;
    const std::vector<std::string> hosts = processHosts(spec);
    return std::ranges::any_of(hosts, [&](const std::string& one) { return one != hosts[0]; });
}

void tellPrice(const JobSpec& spec, const model::Graph& part, Report& report) {
    const model::MeshPrice price = model::priceOf(part);
    const int rows = batchReplicas(spec);
    const int samples = (spec.training.globalBatchSize + rows - 1) / rows;
    // Every part of a step runs forward and backward, and gathers and exchanges, of its own.
    const int parts = spec.training.gradientAccumulationSteps;
    const double gathered =
        static_cast<double>(price.sentPerStep) * parts * 4 * (spec.distribution.model - 1);
    double sent = gathered + static_cast<double>(price.sentPerSample) * samples * 4 *
                                 (spec.distribution.model - 1);
    if (crossesANetwork(spec))
        for (const std::int64_t one : price.sumsPerSample)
            sent -= 4.0 * parts *
                    static_cast<double>(
                        model::savedByPieces(spec.distribution.model, one * samples / parts));
    // Weights and gradients besides what the optimiser keeps.
    const int arrays = 2 + momentsOf(spec.training);
    const std::string forCheckpoints =
        writesShards(spec)
            ? fmt::format(" While a checkpoint is written it keeps a copy of its part, {} more.",
                          bytesText(static_cast<double>(price.parameters) * 4 * (arrays - 1)))
            : std::string();
    report.add(
        Severity::Note, "distribution.layout",
        fmt::format("each of {} holds {} of {} parameters, with gradients and the optimiser's "
                    "state {} instead of {}; in a step it sends {} to the others of its row, in {}",
                    counted(spec.distribution.model, "column"), price.parameters,
                    price.wholeParameters,
                    bytesText(static_cast<double>(price.parameters) * 4 * arrays),
                    bytesText(static_cast<double>(price.wholeParameters) * 4 * arrays),
                    bytesText(sent), counted(price.exchanges * parts, "exchange")),
        (price.sentPerStep > 0
             ? fmt::format("Of that {} are tensors that are gathered whenever they are used, "
                           "because their layout allows no work on a part.",
                           bytesText(gathered))
             : "In each exchange a replica waits for the others of its row.") +
            forCheckpoints);
}

/// That the mesh has a place for every replica.
void checkMesh(const JobSpec& spec, Report& report) {
    const DistributionSpec& mesh = spec.distribution;
    const int replicas = spec.cluster.replicaCount();
    if (hasPlaceForAll(spec)) return;
    const std::string places = mesh.batch == 0
                                   ? counted(mesh.model, "column")
                                   : fmt::format("{} x {}, {}", mesh.batch, mesh.model,
                                                 counted(mesh.batch * mesh.model, "place"));
    report.error(
        mesh.batch == 0 ? "distribution.mesh.model" : "distribution.mesh.batch",
        fmt::format("distribution.mesh has {}, but the job has {}", places,
                    counted(replicas, "replica")),
        fmt::format("Use a mesh.model that divides {}, one of {}, and leave mesh.batch out; or {}.",
                    replicas, columnsFor(replicas),
                    counted(mesh.batch == 0 ? (replicas / mesh.model + 1) * mesh.model
                                            : mesh.batch * mesh.model,
                            "process")));
}

/// What a mesh does not go with.
void checkMeshFits(const JobSpec& spec, Report& report) {
    if (!isModelParallel(spec)) return;
    const bool isOdd =
        spec.data.autoShard == AutoShard::File || spec.data.autoShard == AutoShard::Off;
    if (isOdd)
        report.error("data.auto_shard",
                     "data.auto_shard gives every process samples of its own, but those of a "
                     "mesh's row must see the same ones",
                     "Leave data.auto_shard out, or set it to \"data\".");
}

/// Rules that change nothing.
void checkLayoutIsUsed(const JobSpec& spec, Report& report) {
    const DistributionSpec& distribution = spec.distribution;
    if (hasRules(spec) && !isModelParallel(spec))
        report.warning("distribution.layout",
                       "distribution.layout changes nothing: distribution.mesh.model is 1, so "
                       "every replica has all tensors",
                       "Set distribution.mesh.model to the number of replicas that share them.");
    if (!hasRules(spec) && isModelParallel(spec))
        report.warning("distribution.mesh.model",
                       fmt::format("distribution.mesh.model is {}, but there is no "
                                   "distribution.layout: the replicas of a row do the same work",
                                   distribution.model),
                       "Set distribution.layout, for example to \"megatron\".");
}

/// What the form of the checkpoints comes to.
void checkShards(const JobSpec& spec, Report& report) {
    if (!isModelParallel(spec) && writesShards(spec))
        report.warning("checkpoint.sharded",
                       "checkpoint.sharded: every replica has the whole network, so process 0 "
                       "writes each checkpoint alone, as one shard",
                       "Leave checkpoint.sharded out, or share the network by "
                       "distribution.mesh.model.");
    if (isModelParallel(spec) && !writesShards(spec))
        report.add(Severity::Note, "checkpoint.sharded",
                   "checkpoint.sharded is false: process 0 puts the whole network and the "
                   "optimiser's state together for each checkpoint, and needs room for them",
                   "Leave it out, and each column writes its part.");
}

void checkLayoutOfKnownData(const JobSpec& spec, Report& report) {
    if (const auto facts = knownFacts(spec.data)) checkLayout(spec, *facts, report);
}

}  // namespace

const std::vector<Rule>& meshRules() {
    static const std::vector<Rule> kRules = {
        {{"distribution.mesh.batch", "distribution.mesh.model", "cluster.job_addresses",
          "cluster.num_processes", "cluster.devices_per_process"},
         checkMesh},
        {{"distribution.mesh.model", "data.auto_shard"}, checkMeshFits},
        {{"distribution.mesh.model", "distribution.layout"}, checkLayoutIsUsed},
        {{"distribution.mesh.model", "checkpoint.sharded"}, checkShards},
        {{"distribution.mesh.model", "distribution.layout", "model.layers", "data.dataset",
          "training.global_batch_size", "training.optimizer"},
         checkLayoutOfKnownData},
    };
    return kRules;
}

std::string whyPartsAreNeeded(const JobSpec& spec) {
    if (!isModelParallel(spec)) return {};
    return fmt::format(
        "processes share the network (distribution.mesh.model is {}), and a part of it lives on "
        "one "
        "process only",
        spec.distribution.model);
}

void checkLayout(const JobSpec& spec, const model::DataFacts& facts, Report& report) {
    if (!isModelParallel(spec)) return;
    const auto graph = model::buildGraph(descriptionOf(spec.model), facts);
    if (!graph) return;  // a rule of its own tells it
    const auto layout = meshLayoutOf(spec, *graph);
    if (!layout) {
        report.error("distribution.layout", layout.error().message, layout.error().remedy);
        return;
    }
    if (!layout->unmatched.empty())
        report.warning("distribution.layout",
                       fmt::format("distribution.layout: no tensor is called as {}",
                                   joinWords(layout->unmatched)),
                       "`lockstepctl lint JOB --model` lists the layers; their tensors end in "
                       ".weight and .bias.");
    if (!layout->gatheredForBias.empty())
        report.warning("distribution.layout",
                       fmt::format("distribution.layout: {} cut by outputs, but {} whole by a "
                                   "rule: the weights are gathered whenever they are used",
                                   isOrAre(layout->gatheredForBias),
                                   layout->gatheredForBias.size() == 1 ? "its bias is kept"
                                                                       : "their biases are kept"),
                       "Give such a bias no rule, and it lies as its weight's outputs do.");
    if (hasRules(spec) && hasPlaceForAll(spec))
        tellPrice(spec, model::splitGraph(*graph, *layout, 0), report);
}

}  // namespace lockstep::config
