// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/text/json.h"

namespace lockstep::data {

/// What of a text no token stands for.
struct UnknownText {
    std::uint64_t count = 0;         ///< Characters that the vocabulary has not, or pieces.
    std::vector<std::string> names;  ///< Some of them, each once.
    bool isKept = false;  ///< As SentencePiece's token for what it does not know; else left out.
};

/// A text as tokens.
struct TokenizedText {
    std::vector<std::uint16_t> tokens;
    UnknownText unknown;
};

/// Takes the tokens of a text as they come.
using TakeTokens = std::function<Result<void>(std::span<const std::uint16_t>)>;

/// How a text becomes tokens, and tokens a text. Any thread.
class Tokenizer {
public:
    virtual ~Tokenizer() = default;

    [[nodiscard]] virtual std::int64_t vocabulary() const = 0;  ///< Tokens are below it.
    /// Some thousands of tokens at a time. BadInput ("line 3 is not UTF-8") for what is no text;
    /// what `take` fails with.
    [[nodiscard]] virtual Result<UnknownText> encodeTo(std::string_view text,
                                                       const TakeTokens& take) const = 0;
    /// All tokens at once.
    [[nodiscard]] Result<TokenizedText> encode(std::string_view text) const;
    /// Tokens that are not below the vocabulary are passed over.
    [[nodiscard]] virtual std::string decode(std::span<const std::uint16_t> tokens) const = 0;
    /// What is kept in checkpoints.
    [[nodiscard]] virtual text::Json json() const = 0;
    /// What makes the same tokens of the same text on every host, wherever its files lie there.
    [[nodiscard]] virtual std::string identity() const { return json().text(); }
};

/// The text of `more` behind that of `prompt`: some tokenizers read a token differently where a
/// text begins.
[[nodiscard]] std::string continuationText(const Tokenizer& tokenizer,
                                           std::span<const std::uint16_t> prompt,
                                           std::span<const std::uint16_t> more);

/// As data.tokenizer names it: "bytes"; "characters", those of `trainingText` in the order of their
/// numbers; else the path of a SentencePiece model, relative to `jobFolder`. BadInput says what is
/// wrong with the text or the model.
[[nodiscard]] Result<std::unique_ptr<Tokenizer>> makeTokenizer(
    const std::string& name, std::string_view trainingText, const std::filesystem::path& jobFolder);

/// That of a checkpoint, which holds all of it. Older ones hold where a SentencePiece model was: it
/// is read from there, and must be the same.
[[nodiscard]] Result<std::unique_ptr<Tokenizer>> tokenizerOf(const text::Json& json);

}  // namespace lockstep::data
