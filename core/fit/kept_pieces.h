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
    /// Of each part that several devices are to hold alike, one of this process's among them: its
    /// number, a blank and the tensor's name, and the hash of what is there.
    std::map<std::string, std::string> copies;
    bool hasCopies = false;  ///< Whether there is such a part, here or elsewhere.
    /// By the number of the file: one holds a name once. No two processes have a number in common.
    std::map<int, std::vector<checkpoint::ShardPiece>> files;
};

/// Views: the tensors outlive them. BadInput as partOwners(), for a name that is not UTF-8, and
/// where two devices of this process should hold a part alike and do not.
[[nodiscard]] Result<KeptPieces> piecesOf(const KeptTensors& tensors);

/// Of processes that agree on the identity: that devices which are to hold a part alike do.
/// BadInput, in all of them, names the tensor.
[[nodiscard]] Result<void> agreeOnCopies(const KeptPieces& pieces, double timeoutSeconds);

/// Writes them into a checkpoint's folder `model`. What the manifest is to say of them.
[[nodiscard]] Result<checkpoint::FileRecords> writePieces(const std::filesystem::path& folder,
                                                          const KeptPieces& pieces);

[[nodiscard]] checkpoint::DType dtypeOf(NumberType type);
/// BadInput for numbers that a Tensor does not hold.
[[nodiscard]] Result<NumberType> numberTypeOf(checkpoint::DType dtype);

}  // namespace lockstep::fit
