// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/dataset_shard.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::distribution {

std::vector<DatasetShard::Batch> DatasetShard::batches(std::size_t samples) const {
    std::vector<Batch> taken;
    const std::size_t stride = batchSize * static_cast<std::size_t>(count);
    if (stride == 0) return taken;
    for (std::size_t begin = batchSize * static_cast<std::size_t>(index); begin < samples;
         begin += stride)
        taken.push_back({begin, std::min(begin + batchSize, samples)});
    return taken;
}

Result<DatasetShard> shardDataset(const Distribution& distribution,
                                  std::optional<std::size_t> globalBatchSize) {
    if (!globalBatchSize || *globalBatchSize == 0)
        return fail(ErrorCode::BadInput,
                    "The batch size of the input dataset is unknown. Please config the batch size "
                    "for the input dataset, e.g via `dataset.batch(batch_size)`");
    if (!distribution.autoShardDataset() || distribution.numModelReplicas() == 1)
        return DatasetShard{1, 0, *globalBatchSize};
    const int shards = distribution.numDataShards();
    if (*globalBatchSize % static_cast<std::size_t>(shards) != 0)
        return fail(ErrorCode::BadInput,
                    fmt::format("Global batch size must be divisible by the number of shards. "
                                "`global_batch_size`={} and `num_shards`={}",
                                *globalBatchSize, shards),
                    fmt::format("Use a multiple of {}.", shards));
    return DatasetShard{shards, distribution.dataShardId(),
                        *globalBatchSize / static_cast<std::size_t>(shards)};
}

}  // namespace lockstep::distribution
