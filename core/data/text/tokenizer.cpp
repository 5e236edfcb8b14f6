// SPDX-License-Identifier: Apache-2.0
#include "core/data/text/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/base/try.h"
#include "core/data/text/sentence_piece.h"
#include "core/data/text/utf8.h"
#include "core/text/base64.h"
#include "core/text/json_fields.h"

namespace lockstep::data {

namespace {

using text::Json;

constexpr std::size_t kMostTokens = 65'536;
constexpr std::size_t kUnknownNamed = 10;
constexpr std::size_t kAtATime = std::size_t{1} << 16;  ///< Tokens.

class ByteTokenizer final : public Tokenizer {
public:
    std::int64_t vocabulary() const override { return 256; }
    Result<UnknownText> encodeTo(std::string_view text, const TakeTokens& take) const override {
        std::vector<std::uint16_t> tokens;
        while (!text.empty()) {
            const std::string_view part = text.substr(0, kAtATime);
            tokens.clear();
            for (const char c : part)
                tokens.push_back(static_cast<unsigned char>(c));
            TRY(take(tokens));
            text.remove_prefix(part.size());
        }
        return UnknownText{};
    }
    std::string decode(std::span<const std::uint16_t> tokens) const override {
        std::string text;
        for (const std::uint16_t token : tokens)
            if (token < 256) text += static_cast<char>(token);
        return text;
    }
    Json json() const override { return Json::object({{"kind", "text"}, {"tokenizer", "bytes"}}); }
};

/// A token for each character that the training text has.
class CharacterTokenizer final : public Tokenizer {
public:
    /// `characters` are in order, each once.
    explicit CharacterTokenizer(std::u32string characters) : characters_(std::move(characters)) {
        for (std::size_t i = 0; i < characters_.size(); ++i)
            tokens_.emplace(characters_[i], static_cast<std::uint16_t>(i));
    }

    std::int64_t vocabulary() const override {
        return static_cast<std::int64_t>(characters_.size());
    }

    Result<UnknownText> encodeTo(std::string_view text, const TakeTokens& take) const override {
        UnknownText left;
        std::u32string unknown;
        std::vector<std::uint16_t> tokens;
        for (std::size_t at = 0; at < text.size();) {
            if (tokens.size() == kAtATime) {
                TRY(take(tokens));
                tokens.clear();
            }
            const auto character = nextCharacter(text, at);
            if (!character)
                return failWithin(fmt::format("line {}", lineAt(text, at)), character.error());
            if (const auto token = tokens_.find(*character); token != tokens_.end()) {
                tokens.push_back(token->second);
                continue;
            }
            ++left.count;
            if (unknown.size() < kUnknownNamed && unknown.find(*character) == std::u32string::npos)
                unknown += *character;
        }
        TRY(take(tokens));
        for (const char32_t character : unknown)
            left.names.push_back(nameOfCharacter(character));
        return left;
    }

    std::string decode(std::span<const std::uint16_t> tokens) const override {
        std::string text;
        for (const std::uint16_t token : tokens)
            if (token < characters_.size()) text += utf8Of(characters_[token]);
        return text;
    }

    Json json() const override {
        std::string all;
        for (const char32_t character : characters_)
            all += utf8Of(character);
        return Json::object(
            {{"kind", "text"}, {"tokenizer", "characters"}, {"characters", std::move(all)}});
    }

private:
    std::u32string characters_;
    std::unordered_map<char32_t, std::uint16_t> tokens_;
};

/// Those of the text, in order, each once.
Result<std::u32string> charactersOf(std::string_view text) {
    std::vector<bool> isThere(0x110000);
    for (std::size_t at = 0; at < text.size();) {
        const auto character = nextCharacter(text, at);
        if (!character)
            return fail(ErrorCode::BadInput, fmt::format("line {} is not UTF-8", lineAt(text, at)),
                        "Convert the text, or set data.tokenizer to \"bytes\".");
        isThere[*character] = true;
    }
    std::u32string characters;
    for (char32_t character = 0; character < isThere.size(); ++character)
        if (isThere[character]) characters += character;
    if (characters.size() > kMostTokens)
        return fail(ErrorCode::BadInput,
                    fmt::format("it has {} different characters, more than {}", characters.size(),
                                kMostTokens),
                    "Set data.tokenizer to \"bytes\".");
    return characters;
}

}  // namespace

Result<TokenizedText> Tokenizer::encode(std::string_view text) const {
    TokenizedText all;
    all.unknown = TRY(encodeTo(text, [&all](std::span<const std::uint16_t> more) {
        all.tokens.insert(all.tokens.end(), more.begin(), more.end());
        return Result<void>();
    }));
    return all;
}

std::string continuationText(const Tokenizer& tokenizer, std::span<const std::uint16_t> prompt,
                             std::span<const std::uint16_t> more) {
    std::vector<std::uint16_t> all(prompt.begin(), prompt.end());
    all.insert(all.end(), more.begin(), more.end());
    const std::string before = tokenizer.decode(prompt);
    const std::string whole = tokenizer.decode(all);
    return whole.starts_with(before) ? whole.substr(before.size()) : tokenizer.decode(more);
}

Result<std::unique_ptr<Tokenizer>> makeTokenizer(const std::string& name,
                                                 std::string_view trainingText,
                                                 const std::filesystem::path& jobFolder) {
    if (name == "bytes") return std::make_unique<ByteTokenizer>();
    if (name == "characters")
        return std::make_unique<CharacterTokenizer>(TRY(charactersOf(trainingText)));
    return openSentencePiece(jobFolder / name);
}

Result<std::unique_ptr<Tokenizer>> tokenizerOf(const Json& json) {
    std::string kind;
    std::string tokenizer;
    std::string characters;
    std::string model;
    std::string path;  // of checkpoints that hold no model
    std::string hash;
    text::JsonFields fields(json);
    fields.read("kind", kind);
    fields.read("tokenizer", tokenizer);
    fields.readIfThere("characters", characters);
    fields.readIfThere("model", model);
    fields.readIfThere("path", path);
    fields.readIfThere("hash", hash);
    TRY(fields.checked());
    if (kind != "text") return fail(ErrorCode::Corrupt, "it does not prepare text");
    if (tokenizer == "bytes") return std::make_unique<ByteTokenizer>();
    if (tokenizer == "characters") {
        auto known = charactersOf(characters);
        if (!known) return fail(ErrorCode::Corrupt, known.error().message);
        return std::make_unique<CharacterTokenizer>(*std::move(known));
    }
    if (tokenizer == "sentencepiece" && model.empty()) return openSentencePiece(path, hash);
    if (tokenizer == "sentencepiece") {
        const auto file = text::fromBase64(model);
        auto known = readSentencePiece(file.value_or(""));
        if (!known) return fail(ErrorCode::Corrupt, "its model " + known.error().message);
        return known;
    }
    return fail(ErrorCode::Corrupt, "it names a tokenizer that this version does not know");
}

}  // namespace lockstep::data
