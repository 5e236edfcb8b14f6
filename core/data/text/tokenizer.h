// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/text/json.h"

namespace lockstep::data {

/// A text as tokens, and what of it is none.
struct TokenizedText {
    std::vector<std::uint16_t> tokens;
    std::uint64_t unknown = 0;  ///< Characters that are left out: the vocabulary has them not.
    std::vector<std::string> unknownNames;  ///< Some of them, each once.
};

/// How a text becomes tokens, and tokens a text. Any thread.
class Tokenizer {
public:
    virtual ~Tokenizer() = default;

    [[nodiscard]] virtual std::int64_t vocabulary() const = 0;  ///< Tokens are below it.
    /// BadInput ("line 3 is not UTF-8") for what is no text.
    [[nodiscard]] virtual Result<TokenizedText> encode(std::string_view text) const = 0;
    /// Tokens that are not below the vocabulary are passed over.
    [[nodiscard]] virtual std::string decode(std::span<const std::uint16_t> tokens) const = 0;
    /// What is kept in checkpoints.
    [[nodiscard]] virtual text::Json json() const = 0;
};

/// As data.tokenizer names it: "bytes"; "characters", those of `trainingText` in the order of their
/// numbers; else the path of a SentencePiece model, relative to `jobFolder`. BadInput says what is
/// wrong with the text or the model.
[[nodiscard]] Result<std::unique_ptr<Tokenizer>> makeTokenizer(
    const std::string& name, std::string_view trainingText, const std::filesystem::path& jobFolder);

/// That of a checkpoint. A SentencePiece model is read from where it was, and must be the same.
[[nodiscard]] Result<std::unique_ptr<Tokenizer>> tokenizerOf(const text::Json& json);

}  // namespace lockstep::data
