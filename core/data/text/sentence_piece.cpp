// SPDX-License-Identifier: Apache-2.0
#include "core/data/text/sentence_piece.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <algorithm>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/data/source_file.h"

namespace lockstep::data {

namespace {

using text::Json;

constexpr int kMostPieces = 65'536;
constexpr std::size_t kUnknownNamed = 10;
/// A text is given to the library in parts of about this size, which end with a line: the memory
/// that it takes grows with them.
constexpr std::size_t kPart = std::size_t{1} << 16;

class SentencePieceTokenizer final : public Tokenizer {
public:
    SentencePieceTokenizer(std::filesystem::path path, std::string hash)
        : path_(std::move(path)), hash_(std::move(hash)) {}

    Result<void> load(std::string_view model) {
        const auto status = processor_.LoadFromSerializedProto(model);
        if (!status.ok())
            return fail(ErrorCode::BadInput,
                        fmt::format("data.tokenizer: {} is no SentencePiece model", path_.string()),
                        "Name the .model file that spm_train wrote, \"bytes\" or \"characters\".");
        if (processor_.GetPieceSize() > kMostPieces)
            return fail(ErrorCode::BadInput,
                        fmt::format("data.tokenizer: {} has {} pieces, more than {}",
                                    path_.string(), processor_.GetPieceSize(), kMostPieces),
                        "Train one with a smaller --vocab_size.");
        return {};
    }

    std::int64_t vocabulary() const override { return processor_.GetPieceSize(); }

    Result<TokenizedText> encode(std::string_view text) const override {
        TokenizedText all;
        while (!text.empty()) {
            const std::size_t end = text.size() <= kPart ? text.npos : text.find('\n', kPart);
            const std::string_view part = text.substr(0, end == text.npos ? text.npos : end + 1);
            TRY(encodePart(part, all));
            text.remove_prefix(part.size());
        }
        return all;
    }

    std::string decode(std::span<const std::uint16_t> tokens) const override {
        std::vector<int> pieces;
        for (const std::uint16_t token : tokens)
            if (token < processor_.GetPieceSize()) pieces.push_back(token);
        std::string text;
        return processor_.Decode(pieces, &text).ok() ? text : std::string();
    }

    Json json() const override {
        return Json::object({{"kind", "text"},
                             {"tokenizer", "sentencepiece"},
                             {"path", path_.string()},
                             {"hash", hash_}});
    }

private:
    /// What the model has no piece for gets the token that the model has for it, and is counted.
    Result<void> encodePart(std::string_view part, TokenizedText& all) const {
        std::vector<std::string> pieces;
        if (!processor_.Encode(part, &pieces).ok())
            return fail(ErrorCode::BadInput, "SentencePiece cannot read it");
        for (const std::string& piece : pieces) {
            const int token = processor_.PieceToId(piece);
            all.tokens.push_back(static_cast<std::uint16_t>(token));
            if (token != processor_.unk_id()) continue;
            ++all.unknown;
            const std::string name = sanitizeLine(piece, 40);
            if (all.unknownNames.size() < kUnknownNamed &&
                std::ranges::find(all.unknownNames, name) == all.unknownNames.end())
                all.unknownNames.push_back(name);
        }
        return {};
    }

    std::filesystem::path path_;
    std::string hash_;
    sentencepiece::SentencePieceProcessor processor_;
};

}  // namespace

bool hasSentencePiece() {
    return true;
}

Result<std::unique_ptr<Tokenizer>> openSentencePiece(const std::filesystem::path& path,
                                                     const std::string& hash) {
    const SharedBytes file = TRY(openSource("data.tokenizer", path));
    std::string found = contentHash(textOf(file));
    if (!hash.empty() && found != hash)
        return fail(ErrorCode::BadInput,
                    fmt::format("{} is another SentencePiece model than the one that was trained "
                                "with",
                                path.string()),
                    "Put the former file there again.");
    std::error_code error;
    auto made = std::make_unique<SentencePieceTokenizer>(
        std::filesystem::absolute(path, error).lexically_normal(), std::move(found));
    TRY(made->load(textOf(file)));
    return made;
}

}  // namespace lockstep::data
