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
constexpr std::size_t kLongestPart = std::size_t{1} << 20;

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

    Result<UnknownText> encodeTo(std::string_view text, const TakeTokens& take) const override {
        UnknownText left;
        while (!text.empty()) {
            const std::string_view part = text.substr(0, partOf(text));
            TRY(encodePart(part, take, left));
            text.remove_prefix(part.size());
        }
        return left;
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

    std::string identity() const override { return "sentencepiece " + hash_; }

private:
    /// Bytes of the first part: up to the end of a line, or of a word where a line has no end.
    static std::size_t partOf(std::string_view text) {
        if (text.size() <= kPart) return text.npos;
        const std::string_view within = text.substr(0, kLongestPart);
        if (const auto line = within.find('\n', kPart); line != within.npos) return line + 1;
        if (within.size() == text.size()) return text.npos;
        if (const auto word = within.rfind(' '); word != within.npos && word > kPart) return word;
        std::size_t end = within.size();
        while (end > 1 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
            --end;
        return end;
    }

    /// What the model has no piece for gets the token that the model has for it, and is counted.
    Result<void> encodePart(std::string_view part, const TakeTokens& take,
                            UnknownText& left) const {
        std::vector<std::string> pieces;
        if (!processor_.Encode(part, &pieces).ok())
            return fail(ErrorCode::BadInput, "SentencePiece cannot read it");
        std::vector<std::uint16_t> tokens;
        for (const std::string& piece : pieces) {
            const int token = processor_.PieceToId(piece);
            tokens.push_back(static_cast<std::uint16_t>(token));
            if (token != processor_.unk_id()) continue;
            ++left.count;
            const std::string name = sanitizeLine(piece, 40);
            if (left.names.size() < kUnknownNamed &&
                std::ranges::find(left.names, name) == left.names.end())
                left.names.push_back(name);
        }
        return take(tokens);
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
