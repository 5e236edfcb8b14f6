// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/data/text/tokenizer.h"

namespace lockstep::data {

/// The tokenizer of a SentencePiece model, of pieces (unigram), merges (BPE) or characters: what
/// the library gives without sampling. BadInput where there is no such file, it is no such model,
/// has more than 65536 pieces, or its content hash is not `hash` (empty: any).
[[nodiscard]] Result<std::unique_ptr<Tokenizer>> openSentencePiece(
    const std::filesystem::path& path, const std::string& hash = {});

}  // namespace lockstep::data
