// SPDX-License-Identifier: Apache-2.0
#include "core/train/job_context.h"

#include "core/config/job_file.h"
#include "core/data/load_dataset.h"

namespace lockstep::train {

Result<config::JobSpec> jobOf(const wire::WorkerConfig& config) {
    auto document = config::JobDocument::parse(config.job_toml(), "job.toml");
    if (!document) return fail(document.error());
    return document->checked();
}

Result<std::unique_ptr<const JobContext>> makeJobContext(const config::JobSpec& job,
                                                         const std::string& jobFolder) {
    auto optimizer = optim::Optimizer::make(job.training);
    if (!optimizer) return fail(optimizer.error());
    auto data = data::loadDataset(job.data, jobFolder);
    if (!data) return fail(data.error());
    auto network = nn::Network::make(job.model, data->train->pixelsPerImage(),
                                     static_cast<std::size_t>(data->classes));
    if (!network) return fail(network.error());
    return std::make_unique<const JobContext>(
        JobContext{job, std::move(*data), std::move(*network), *optimizer});
}

}  // namespace lockstep::train
