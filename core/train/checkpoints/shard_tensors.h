// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint_reader.h"
#include "core/checkpoint/snapshot.h"
#include "core/program/network.h"
#include "core/train/checkpoints/state_tensors.h"

namespace lockstep::train {

/// Adds to a sharded snapshot what the member in `column` of a mesh has: views, nothing is copied.
/// `part` is its part of the network; without a mesh the network itself, and column 0. Tensors that
/// all members have are the first one's. A part that lies in several stretches of its tensor
/// (queries, keys and values) is as many tensors of as many files.
void addShards(const program::Network& part, int column, const SavedBuffers& saved,
               std::span<const float> statistics, checkpoint::Snapshot& snapshot);

/// Of a checkpoint's tensors names and shapes alone, without their values.
[[nodiscard]] checkpoint::LoadedCheckpoint outlineOf(const checkpoint::OpenShards& shards);
/// What that member has of a checkpoint, however that was cut, as if it were all: of each tensor
/// its part. Of the files it reads the blocks in which that lies. Corrupt names the damaged file;
/// BadInput: the checkpoint is of another model.
[[nodiscard]] Result<checkpoint::LoadedCheckpoint> readPart(checkpoint::OpenShards& shards,
                                                            const program::Network& part,
                                                            int column);

}  // namespace lockstep::train
