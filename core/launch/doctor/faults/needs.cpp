// SPDX-License-Identifier: Apache-2.0
#include "core/launch/doctor/faults/needs.h"

#include <algorithm>

#include "core/config/job/model_spec.h"
#include "core/config/lint/known_dataset.h"
#include "core/model/build_graph.h"

namespace lockstep::launch {

namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kProgram = 64 * kMebibyte;  ///< A process before it has a model.
constexpr std::uint64_t kRecords = 32 * kMebibyte;  ///< Journal, events and logs of a short run.
constexpr std::uint64_t kImagePixels =
    std::uint64_t{28} * 28;  ///< Where the data do not say otherwise.
constexpr std::uint64_t kDigitsBytes = 55 * kMebibyte;

/// Of a model that is more than a dense stack; none where the data's size is not known beforehand.
std::uint64_t describedBytes(const config::JobSpec& job) {
    const auto facts = config::knownFacts(job.data);
    const auto graph =
        facts ? model::buildGraph(config::descriptionOf(job.model), *facts) : model::Graph{};
    std::uint64_t numbers = 0;
    if (graph)
        for (const model::Tensor& tensor : graph->tensors)
            numbers += static_cast<std::uint64_t>(tensor.size());
    return numbers * sizeof(float);
}

std::uint64_t parameterBytes(const config::JobSpec& job) {
    if (!config::isDenseStack(job.model)) return describedBytes(job);
    std::uint64_t inputs = kImagePixels;
    std::uint64_t parameters = 0;
    for (const config::LayerSpec& layer : job.model.layers) {
        const auto units = static_cast<std::uint64_t>(std::max(layer.units, 0));
        parameters += (inputs + 1) * units;
        inputs = std::max<std::uint64_t>(units, 1);
    }
    return parameters * sizeof(float);
}

/// Adam keeps two figures a weight, SGD one at most.
std::uint64_t stateCopies(const config::JobSpec& job) {
    return job.training.optimizer == config::OptimizerKind::Adam ? 2 : 1;
}

}  // namespace

std::uint64_t memoryNeedOf(const Examination& all, const ExaminedHost& host) {
    const std::uint64_t data =
        host.facts && host.facts->data().needed() ? host.facts->data().bytes() : kDigitsBytes;
    const auto replicas =
        host.processes.size() * static_cast<std::uint64_t>(all.job.cluster.localReplicas());
    const std::uint64_t model = parameterBytes(all.job) * (2 + stateCopies(all.job));
    const auto evaluators = static_cast<std::uint64_t>(host.evaluator ? all.job.evaluators() : 0);
    const std::uint64_t processes = host.processes.size() + evaluators;
    return processes * (kProgram + data) + replicas * model;
}

std::uint64_t diskNeedOf(const Examination& all) {
    // The newest ones or those that wait for an evaluator, those that are being scored, the best
    // one, and the one that is being written.
    const int evaluators = all.job.evaluators();
    const int waiting = evaluators > 0 ? all.job.checkpoint.keepUnscored + evaluators : 0;
    const auto checkpoints =
        static_cast<std::uint64_t>(std::max({all.job.checkpoint.keep, waiting, 1})) + 2;
    return kRecords + checkpoints * parameterBytes(all.job) * (1 + stateCopies(all.job));
}

}  // namespace lockstep::launch
