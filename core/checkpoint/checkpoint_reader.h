// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "core/checkpoint/manifest.h"
#include "core/checkpoint/shard_index.h"
#include "core/checkpoint/snapshot.h"

namespace lockstep::checkpoint {

/// Reads the checkpoint in the open folder `folder` and compares every byte that it reads with its
/// manifest and with `step`. Corrupt names the file or tensor that is damaged; Io when it cannot be
/// read.
[[nodiscard]] Result<LoadedCheckpoint> readCheckpoint(int folder, std::int64_t step,
                                                      Contents contents = Contents::All);

/// Every byte of those contents, without keeping the tensors of shards, which may be of any type.
/// Likewise; returned is its state.
[[nodiscard]] Result<TrainingState> verifyCheckpoint(int folder, std::int64_t step,
                                                     Contents contents = Contents::All);

/// A checkpoint that was written as shards, of which any part can be read.
struct OpenShards {
    TrainingState state;
    ShardIndex model;
    ShardIndex optimizer;
};

/// Of the open folder, which need not stay open; of its tensors' files the headers are read.
/// Nothing where it was written whole. Errors as readCheckpoint's.
[[nodiscard]] Result<std::optional<OpenShards>> openShards(int folder, std::int64_t step);

/// The manifest alone. Corrupt when it does not match itself or `step`.
[[nodiscard]] Result<Manifest> readManifest(int folder, std::int64_t step);

}  // namespace lockstep::checkpoint
