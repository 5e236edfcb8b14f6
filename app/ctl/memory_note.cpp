// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/memory_note.h"

#include <fmt/format.h>

#include "core/config/lint/known_dataset.h"
#include "core/data/data_facts.h"
#include "core/train/replica/memory_need.h"

namespace lockstep::app {

namespace {

double mebibytes(std::uint64_t bytes) {
    return static_cast<double>(bytes) / (1 << 20);
}

bool hasMesh(const config::DistributionSpec& distribution) {
    return distribution.model > 1 || distribution.batch > 0;
}

/// Of the job's data, where they can be known within a moment.
std::optional<model::DataFacts> factsOf(const config::DataSpec& spec,
                                        const std::filesystem::path& jobFolder) {
    if (auto facts = config::knownFacts(spec)) return facts;
    if (data::namedBytes(spec, jobFolder) > data::kMostBytesLookedAt) return std::nullopt;
    auto facts = data::readDataFacts(spec, jobFolder);
    return facts ? std::optional(*std::move(facts)) : std::nullopt;
}

}  // namespace

std::optional<config::Finding> memoryNote(const config::JobDocument& job,
                                          const std::filesystem::path& jobFolder) {
    const config::JobSpec& spec = job.spec();
    if (!hasMesh(spec.distribution) || spec.launch.runsOwnProgram()) return std::nullopt;
    if (spec.cluster.device == config::DeviceKind::Gpu) return std::nullopt;
    const auto facts = factsOf(spec.data, jobFolder);
    if (!facts) return std::nullopt;
    const auto need = train::memoryNeedOf(spec, *facts);
    if (!need) return std::nullopt;  // another finding says why
    return job.findingAt(
        config::Severity::Note, "distribution.mesh",
        fmt::format(
            "on a processor each replica takes about {:.1f} MiB besides the program and the data: "
            "weights, gradients and the optimiser's state {:.1f}, a step's values {:.1f}, a "
            "scored batch's values {:.1f}, batches prepared ahead {:.1f}, what convolutions keep "
            "{:.1f}, what is exchanged in a row {:.1f}",
            mebibytes(need->total()), mebibytes(need->state), mebibytes(need->step),
            mebibytes(need->evaluation), mebibytes(need->batches), mebibytes(need->convolutions),
            mebibytes(need->exchange)),
        "A smaller training.global_batch_size, or training.gradient_accumulation_steps, makes a "
        "step's values fewer.");
}

}  // namespace lockstep::app
