// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/data/text/tokenizer.h"

namespace lockstep::data {

/// The tokenizer of a SentencePiece model, of pieces (unigram), merges (BPE) or characters: what
/// the library gives without sampling. BadInput where there is no such file, it is no such model,
/// has more than 65536 pieces, or its content hash is not `hash` (empty: any).
[[nodiscard]] Result<std::unique_ptr<Tokenizer>> openSentencePiece(
    const std::filesystem::path& path, const std::string& hash = {});

/// The same of the bytes of its file; BadInput, as what goes on after the file's name.
[[nodiscard]] Result<std::unique_ptr<Tokenizer>> readSentencePiece(std::string_view file);

}  // namespace lockstep::data
