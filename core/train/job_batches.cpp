// SPDX-License-Identifier: Apache-2.0
#include "core/train/job_batches.h"

#include "core/base/try.h"
#include "core/config/job/auto_shard.h"
#include "core/config/job/mesh.h"
#include "core/train/checkpoints/start_point.h"

namespace lockstep::train {

Result<data::BatchPlan> batchesOf(const config::JobSpec& job, const data::Dataset& data,
                                  std::uint64_t seed) {
    const auto batch = static_cast<std::uint32_t>(job.training.globalBatchSize);
    const int replicas = config::batchReplicas(job);
    const std::uint64_t orderSeed = job.data.shuffle.seed.value_or(seed);
    // Of a mesh a row is what a process is else: lint has seen to data.auto_shard.
    const int processes = config::isModelParallel(job) ? replicas : job.cluster.numProcesses;
    const auto policy = TRY(config::resolveAutoShard(job.data, processes));
    if (policy == config::AutoShard::File)
        return data::BatchPlan::makeSharded(data::dealFiles(data.trainFiles, processes), batch,
                                            replicas, orderSeed, data::orderOf(job.data));
    const int copies = TRY(datasetCopies(job));
    return data::BatchPlan::make(data.train->count, batch, replicas, orderSeed, copies,
                                 data::orderOf(job.data));
}

}  // namespace lockstep::train
