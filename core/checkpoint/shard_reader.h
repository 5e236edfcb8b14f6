// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/manifest.h"
#include "core/checkpoint/snapshot.h"

namespace lockstep::checkpoint {

/// The tensors of one kind ("model") of a checkpoint that was written as shards, whole and by name,
/// however they were cut. Every byte of the files that the manifest lists in that folder of the
/// open `folder` is compared with it, block by block. Corrupt names the file that is damaged, or
/// the tensor whose parts do not make up a whole one.
[[nodiscard]] Result<std::vector<Tensor>> readShards(int folder, const Manifest& manifest,
                                                     const std::string& kind);

}  // namespace lockstep::checkpoint
