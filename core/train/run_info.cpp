// SPDX-License-Identifier: Apache-2.0
#include "core/train/run_info.h"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "core/config/job/cluster_spec.h"
#include "core/data/sample_preview.h"

namespace lockstep::train {

namespace {

/// Names of classes as far as a record has room for them: who reads it counts the others.
void addClassNames(wire::RunInfo& info, const std::vector<std::string>& names) {
    constexpr std::size_t kMostBytes = 96 << 10;
    std::size_t bytes = 0;
    for (const std::string& name : names) {
        bytes += name.size() + 4;
        if (bytes > kMostBytes) return;
        info.add_class_names(name);
    }
}

bool sumsInItsPasses(const model::Node& node) {
    const auto* normalization = std::get_if<model::BatchNormalization>(&node.operation);
    return normalization != nullptr && normalization->isSynchronized;
}

}  // namespace

std::string slownessUnknown(double unevenness, bool wholeSteps, bool isMesh,
                            const model::Graph& graph) {
    if (std::isinf(unevenness)) return "some replicas have no samples in some steps";
    // Their clocks do not tell work from waiting for the others in the middle of a pass.
    if (wholeSteps && isMesh)
        return "the members of a mesh wait for each other within their passes, which a GPU that "
               "runs whole steps does not tell from work";
    if (wholeSteps && std::ranges::any_of(graph.nodes, sumsInItsPasses))
        return "synchronised normalisations wait for all replicas within their passes, which a GPU "
               "that runs whole steps does not tell from work";
    return {};
}

wire::Record runInfo(const wire::WorkerConfig& config, const std::string& jobToml,
                     const JobContext& context, const TrainingPlan& plan,
                     const data::BatchPlan& batches, const Connection& connection) {
    const config::JobSpec& job = context.job;
    wire::Record record;
    wire::RunInfo& info = *record.mutable_run_info();
    info.set_run_id(config.run_id());
    info.set_name(job.name);
    info.set_job_toml(jobToml);
    info.set_generation(config.generation());
    info.set_total_steps(static_cast<std::uint64_t>(plan.totalSteps));
    info.set_first_step(static_cast<std::uint64_t>(plan.firstStep));
    info.set_steps_per_epoch(static_cast<std::uint64_t>(plan.stepsPerEpoch));
    info.set_epochs(static_cast<std::uint32_t>(plan.epochs()));
    info.set_global_batch_size(static_cast<std::uint32_t>(job.training.globalBatchSize));
    info.set_replica_count(static_cast<std::uint32_t>(job.cluster.replicaCount()));
    info.set_backend(std::string(connection.communicators.front()->backend()));
    info.set_device(connection.device());
    addClassNames(info, context.data.classNames);
    const data::PreviewSize shown = data::previewSize(*context.data.train);
    info.set_image_width(static_cast<std::uint32_t>(shown.width));
    info.set_image_height(static_cast<std::uint32_t>(shown.height));
    info.set_unevenness(batches.unevenness());
    if (job.cluster.replicaCount() > 1)
        info.set_slowness_unknown(slownessUnknown(batches.unevenness(), connection.choice.nccl,
                                                  !connection.mesh.empty(),
                                                  context.network.graph()));
    return record;
}

}  // namespace lockstep::train
