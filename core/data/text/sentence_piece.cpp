// SPDX-License-Identifier: Apache-2.0
#include "core/data/text/sentence_piece.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/data/source_file.h"
#include "core/data/text/piece_encoder.h"
#include "core/data/text/utf8.h"
#include "core/text/base64.h"

namespace lockstep::data {

namespace {

using text::Json;

constexpr std::size_t kMostPieces = 65'536;
constexpr std::size_t kUnknownNamed = 10;
/// A text is encoded in parts of about this size, which end with a line: the memory that it takes
/// grows with them.
constexpr std::size_t kPart = std::size_t{1} << 16;
constexpr std::size_t kLongestPart = std::size_t{1} << 20;

class SentencePieceTokenizer final : public Tokenizer {
public:
    /// `file`: what the model was read from.
    SentencePieceTokenizer(std::string_view file, PieceModel model)
        : file_(file),
          model_(std::move(model)),
          normalizer_(model_),
          encoder_(model_, normalizer_) {
        for (std::size_t byte = 0; byte < bytePieces_.size(); ++byte)
            bytePieces_[byte] =
                static_cast<std::uint16_t>(encoder_.pieceOf(fmt::format("<0x{:02X}>", byte)));
    }

    std::int64_t vocabulary() const override {
        return static_cast<std::int64_t>(model_.pieces.size());
    }

    Result<UnknownText> encodeTo(std::string_view text, const TakeTokens& take) const override {
        UnknownText left;
        left.isKept = true;
        for (std::size_t at = 0; at < text.size();)
            if (!nextCharacter(text, at))
                return fail(ErrorCode::BadInput,
                            fmt::format("line {} is not UTF-8", lineAt(text, at)));
        while (!text.empty()) {
            const std::string_view part = text.substr(0, partOf(text));
            TRY(take(encodePart(part, left)));
            text.remove_prefix(part.size());
        }
        return left;
    }

    std::string decode(std::span<const std::uint16_t> tokens) const override {
        std::string text;
        std::string bytes;  // of pieces that are one each
        bool isFirst = true;
        bool ateSpace = false;
        const auto endBytes = [&] {
            appendCharacters(bytes, text);
            bytes.clear();
        };
        for (const std::uint16_t token : tokens) {
            if (token >= model_.pieces.size()) continue;
            const Piece& piece = model_.pieces[token];
            if (piece.type == Piece::Type::Byte) {
                bytes +=
                    static_cast<char>(std::ranges::find(bytePieces_, token) - bytePieces_.begin());
                continue;
            }
            endBytes();
            if (ateSpace || !text.empty()) isFirst = false;
            ateSpace = appendPiece(piece, isFirst, text);
        }
        endBytes();
        return text;
    }

    Json json() const override {
        return Json::object(
            {{"kind", "text"}, {"tokenizer", "sentencepiece"}, {"model", text::toBase64(file_)}});
    }

    std::string identity() const override { return "sentencepiece " + contentHash(file_); }

private:
    /// Bytes of the first part: up to the end of a line, or of a word where a line has no end.
    static std::size_t partOf(std::string_view text) {
        if (text.size() <= kPart) return std::string_view::npos;
        const std::string_view within = text.substr(0, kLongestPart);
        if (const auto line = within.find('\n', kPart); line != std::string_view::npos)
            return line + 1;
        if (within.size() == text.size()) return std::string_view::npos;
        if (const auto word = within.rfind(' '); word != std::string_view::npos && word > kPart)
            return word;
        std::size_t end = within.size();
        while (end > 1 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
            --end;
        return end;
    }

    /// What the model has no piece for gets the unknown one, a run of it once, and is counted; or
    /// the pieces of its bytes, where the model has them.
    std::vector<std::uint16_t> encodePart(std::string_view part, UnknownText& left) const {
        const std::string normal = normalizer_.normalize(part);
        std::vector<std::uint16_t> tokens;
        std::string run;
        const auto endRun = [&] {
            if (run.empty()) return;
            ++left.count;
            const std::string name = sanitizeLine(run, 40);
            if (left.names.size() < kUnknownNamed &&
                std::ranges::find(left.names, name) == left.names.end())
                left.names.push_back(name);
            run.clear();
        };
        for (const auto& [text, piece] : encoder_.encode(normal)) {
            const bool isUnknown = piece == static_cast<std::int32_t>(model_.unknown);
            if (!isUnknown) endRun();
            if (!isUnknown) {
                tokens.push_back(static_cast<std::uint16_t>(piece));
            } else if (model_.hasByteFallback) {
                for (const char byte : text)
                    tokens.push_back(bytePieces_[static_cast<unsigned char>(byte)]);
            } else {
                if (run.empty()) tokens.push_back(static_cast<std::uint16_t>(piece));
                run += text;
            }
        }
        endRun();
        return tokens;
    }

    /// Whether a space in front of the whole text was left out.
    bool appendPiece(const Piece& piece, bool isFirst, std::string& text) const {
        if (piece.type == Piece::Type::Control) return false;
        if (piece.type == Piece::Type::Unknown) {
            text += model_.unknownSurface;
            return false;
        }
        std::string_view rest = piece.text;
        bool ateSpace = false;
        if (isFirst && (model_.addsDummyPrefix || model_.removesExtraWhitespace) &&
            rest.starts_with(kPieceSpace)) {
            rest.remove_prefix(kPieceSpace.size());
            ateSpace = !model_.removesExtraWhitespace;  // then every one in front is left out
        }
        while (!rest.empty()) {
            const bool isSpace = rest.starts_with(kPieceSpace);
            text += isSpace ? ' ' : rest.front();
            rest.remove_prefix(isSpace ? kPieceSpace.size() : 1);
        }
        return ateSpace;
    }

    /// Bytes that are no characters become U+FFFD, one each.
    static void appendCharacters(std::string_view bytes, std::string& text) {
        for (std::size_t at = 0; at < bytes.size();) {
            const std::size_t begin = at;
            if (nextCharacter(bytes, at)) {
                text += bytes.substr(begin, at - begin);
                continue;
            }
            text += "\xef\xbf\xbd";
            at = begin + 1;
        }
    }

    std::string file_;
    PieceModel model_;
    PieceNormalizer normalizer_;
    PieceEncoder encoder_;
    std::array<std::uint16_t, 256> bytePieces_{};
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> openSentencePiece(const std::filesystem::path& path,
                                                     const std::string& hash) {
    const SharedBytes file = TRY(openSource("data.tokenizer", path));
    if (!hash.empty() && contentHash(textOf(file)) != hash)
        return fail(ErrorCode::BadInput,
                    fmt::format("{} is another SentencePiece model than the one that was trained "
                                "with",
                                path.string()),
                    "Put the former file there again.");
    auto tokenizer = readSentencePiece(textOf(file));
    if (tokenizer) return tokenizer;
    return fail(ErrorCode::BadInput,
                fmt::format("data.tokenizer: {} {}", path.string(), tokenizer.error().message),
                tokenizer.error().remedy);
}

Result<std::unique_ptr<Tokenizer>> readSentencePiece(std::string_view file) {
    PieceModel model = TRY(parsePieceModel(file));
    if (model.pieces.size() > kMostPieces)
        return fail(ErrorCode::BadInput,
                    fmt::format("has {} pieces, more than {}", model.pieces.size(), kMostPieces),
                    "Train one with a smaller --vocab_size.");
    return std::make_unique<SentencePieceTokenizer>(file, std::move(model));
}

}  // namespace lockstep::data
