// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/fit/checkpoints.h"

namespace lockstep::fit {

/// What this process writes of tensors that all processes save: of those that are shared the parts
/// of which it is the owner, and its share, by bytes, of those that all have.
struct KeptPieces {
    std::string identity;  ///< Alike in all processes that save the same.
    /// By the number of the file: one holds a name once. No two processes have a number in common.
    std::map<int, std::vector<checkpoint::ShardPiece>> files;
};

/// Views: the tensors outlive them. BadInput as partOwners().
[[nodiscard]] Result<KeptPieces> piecesOf(const KeptTensors& tensors);

/// Writes them into a checkpoint's folder `model`. What the manifest is to say of them.
[[nodiscard]] Result<checkpoint::FileRecords> writePieces(const std::filesystem::path& folder,
                                                          const KeptPieces& pieces);

[[nodiscard]] checkpoint::DType dtypeOf(NumberType type);
/// BadInput for numbers that a Tensor does not hold.
[[nodiscard]] Result<NumberType> numberTypeOf(checkpoint::DType dtype);

}  // namespace lockstep::fit
