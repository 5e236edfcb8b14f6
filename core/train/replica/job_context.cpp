// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/job_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/config/job/cluster_spec.h"
#include "core/config/job/monitor.h"
#include "core/data/load_dataset.h"
#include "core/program/job_network.h"

namespace lockstep::train {

namespace {

/// Every host reads data of its own: on several of them the sentence says which one lacks what.
Error onThisHost(Error error, const config::JobSpec& job) {
    const auto hosts = config::processHosts(job);
    if (std::ranges::all_of(hosts, config::isLoopback)) return error;
    error.message = "on " + hostName() + ": " + error.message;
    error.remedy += std::string(error.remedy.empty() ? "" : "\n") +
                    "Every host reads its own data: put the files there, or name a folder that "
                    "all hosts see.";
    return error;
}

/// What is watched must be measured: metrics that a job does not name follow from its data.
Result<void> checkMonitors(const config::JobSpec& job, const Objective& objective) {
    const auto names = objective.metrics().names();
    for (const auto& [key, watch] :
         {std::pair{"early_stopping.monitor", config::earlyStoppingWatch(job)},
          std::pair{"checkpoint.monitor", config::bestWatch(job)}}) {
        if (!watch) continue;
        const std::string name = config::monitorName(watch->monitor, watch->metric);
        const bool isAccuracy = name.ends_with("n_accuracy");  // of training or validation
        if (watch->metric.empty() ? !isAccuracy || objective.hasAccuracy()
                                  : std::ranges::find(names, watch->metric) != names.end())
            continue;
        return fail(ErrorCode::BadInput,
                    fmt::format("{} is \"{}\", which is not measured for such data", key, name),
                    "Watch the loss, or add the metric to training.metrics.");
    }
    return {};
}

}  // namespace

Result<config::JobSpec> jobOf(const wire::WorkerConfig& config) {
    auto document = TRY(config::JobDocument::parse(config.job_toml(), "job.toml"));
    return document.checked();
}

Result<std::unique_ptr<const JobContext>> makeJobContext(const config::JobSpec& job,
                                                         const std::string& jobFolder) {
    auto optimizer = TRY(optim::Optimizer::make(job.training));
    auto data = data::loadDataset(job.data, jobFolder);
    if (!data) return fail(onThisHost(data.error(), job));
    for (const std::string& note : data->notes)
        std::fprintf(stderr, "note: %s\n", note.c_str());
    for (const Error& warning : data->warnings)
        std::fprintf(stderr, "warning: %s\n", warning.message.c_str());
    auto objective = TRY(Objective::make(job.training, *data));
    if (const auto wrong = config::targetScaleProblem(job.data.table.targetScale, objective.task()))
        return fail(ErrorCode::BadInput, model::sentenceOf(*wrong), wrong->remedy);
    TRY(checkMonitors(job, objective));
    auto network = TRY(program::makeNetwork(job.model, data->facts, job.training.loss));
    return std::make_unique<const JobContext>(
        JobContext{job, std::move(*data), std::move(network), optimizer, std::move(objective)});
}

}  // namespace lockstep::train
