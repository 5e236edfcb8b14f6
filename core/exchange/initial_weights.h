// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/snapshot.h"
#include "core/config/job/job_spec.h"
#include "core/model/graph.h"

namespace lockstep::exchange {

/// What a file gives to a network that is to be trained on from there.
struct InitialWeights {
    std::string hash;                         ///< contentHash of the file.
    std::vector<checkpoint::Tensor> tensors;  ///< By the network's names, with its shapes.
    /// Excepted ones, which begin as their initialisers say whether they would fit or not. Names of
    /// the network.
    std::vector<std::string> left;
    /// Names of the file that stand for nothing else here, which are excepted, too.
    std::vector<std::string> unused;
};

/// The bytes of a safetensors file against a network: parameters and statistics. Names may differ
/// by `spec.rename`, numbers are F32, F16, BF16 or F64. Everything must fit but what `spec.except`
/// says, which is left; what PyTorch's modules have besides (see torchEntries) is compared.
/// BadInput names all that does not, in one sentence, with a way out; Corrupt where the bytes are
/// no safetensors.
[[nodiscard]] Result<InitialWeights> matchWeights(std::string_view bytes, const model::Graph& graph,
                                                  const config::InitialWeightsSpec& spec);

/// The same of spec.file, found from `jobFolder`. All errors name the key and are BadInput.
[[nodiscard]] Result<InitialWeights> readInitialWeights(const config::InitialWeightsSpec& spec,
                                                        const std::filesystem::path& jobFolder,
                                                        const model::Graph& graph);

/// Only whether the file is there and is one of its format: for a network that is not known.
[[nodiscard]] Result<void> checkWeightsFile(const config::InitialWeightsSpec& spec,
                                            const std::filesystem::path& jobFolder);

}  // namespace lockstep::exchange
