// SPDX-License-Identifier: Apache-2.0
#include "core/data/text/piece_encoder.h"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>

namespace lockstep::data {

namespace {

constexpr float kUnknownPenalty = 10;

std::vector<std::pair<std::string_view, std::int32_t>> textPieces(const PieceModel& model) {
    std::vector<std::pair<std::string_view, std::int32_t>> pieces;
    for (std::size_t i = 0; i < model.pieces.size(); ++i)
        if (model.pieces[i].isInTexts())
            pieces.emplace_back(model.pieces[i].text, static_cast<std::int32_t>(i));
    return pieces;
}

/// Parts of a text that are joined, pair by pair, the pair with the highest score first.
class Merging {
public:
    Merging(std::string_view text, const PieceModel& model, const PieceNormalizer& normalizer,
            const std::unordered_map<std::string_view, std::int32_t>& places)
        : model_(model), places_(places) {
        while (!text.empty()) {
            const auto [bytes, isSymbol] = normalizer.firstPart(text);
            const auto index = static_cast<int>(parts_.size());
            parts_.push_back({index - 1, index + 1, isSymbol, text.substr(0, bytes)});
            text.remove_prefix(bytes);
        }
        if (!parts_.empty()) parts_.back().next = -1;
    }

    void run() {
        for (std::size_t i = 1; i < parts_.size(); ++i)
            offer(static_cast<int>(i) - 1, static_cast<int>(i));
        while (!pairs_.empty()) {
            const Pair pair = pairs_.top();
            pairs_.pop();
            Part& left = at(pair.left);
            Part& right = at(pair.right);
            const bool isThere = !left.text.empty() && !right.text.empty() &&
                                 left.text.size() + right.text.size() == pair.bytes;
            if (!isThere) continue;
            left.text = joined(left.text, right.text);
            left.next = right.next;
            if (right.next >= 0) at(right.next).previous = pair.left;
            right.text = {};
            offer(left.previous, pair.left);
            offer(pair.left, left.next);
        }
    }

    [[nodiscard]] std::vector<FoundPiece> take(const PieceEncoder& encoder) const {
        std::vector<FoundPiece> found;
        for (int i = parts_.empty() ? -1 : 0; i >= 0; i = parts_[static_cast<std::size_t>(i)].next)
            split(parts_[static_cast<std::size_t>(i)].text, encoder, found);
        return found;
    }

private:
    struct Part {
        int previous = -1;
        int next = -1;
        bool isFixed = false;
        std::string_view text;
    };
    struct Pair {
        int left = 0;
        int right = 0;
        float score = 0;
        std::size_t bytes = 0;
        [[nodiscard]] bool operator<(const Pair& other) const {
            return score < other.score || (score == other.score && left > other.left);
        }
    };

    Part& at(int index) { return parts_[static_cast<std::size_t>(index)]; }
    static std::string_view joined(std::string_view left, std::string_view right) {
        return {left.data(), left.size() + right.size()};
    }

    void offer(int left, int right) {
        if (left < 0 || right < 0 || at(left).isFixed || at(right).isFixed) return;
        const std::string_view both = joined(at(left).text, at(right).text);
        const auto place = places_.find(both);
        if (place == places_.end()) return;
        const Piece& piece = model_.pieces[static_cast<std::size_t>(place->second)];
        if (!piece.isInTexts()) return;
        pairs_.push({left, right, piece.score, both.size()});
        if (piece.type == Piece::Type::Unused) unused_[both] = {at(left).text, at(right).text};
    }

    /// A piece that is not used is cut again where it was joined.
    void split(std::string_view part, const PieceEncoder& encoder,
               std::vector<FoundPiece>& found) const {
        const std::int32_t piece = encoder.pieceOf(part);
        const auto parts = unused_.find(part);
        if (model_.pieces[static_cast<std::size_t>(piece)].type != Piece::Type::Unused ||
            parts == unused_.end()) {
            found.push_back({part, piece});
            return;
        }
        split(parts->second.first, encoder, found);
        split(parts->second.second, encoder, found);
    }

    const PieceModel& model_;
    const std::unordered_map<std::string_view, std::int32_t>& places_;
    std::vector<Part> parts_;
    std::priority_queue<Pair> pairs_;
    std::map<std::string_view, std::pair<std::string_view, std::string_view>> unused_;
};

}  // namespace

PieceEncoder::PieceEncoder(const PieceModel& model, const PieceNormalizer& normalizer)
    : model_(model),
      normalizer_(normalizer),
      trie_(textPieces(model)),
      lowest_(std::numeric_limits<float>::max()),
      highest_(std::numeric_limits<float>::min()) {
    for (std::size_t i = 0; i < model.pieces.size(); ++i) {
        places_.emplace(model.pieces[i].text, static_cast<std::int32_t>(i));
        if (model.pieces[i].type != Piece::Type::Normal) continue;
        lowest_ = std::min(lowest_, model.pieces[i].score);
        highest_ = std::max(highest_, model.pieces[i].score);
    }
}

std::int32_t PieceEncoder::pieceOf(std::string_view part) const {
    const auto place = places_.find(part);
    return place == places_.end() ? static_cast<std::int32_t>(model_.unknown) : place->second;
}

std::vector<FoundPiece> PieceEncoder::encode(std::string_view text) const {
    return model_.kind == PieceModel::Kind::Unigram ? likeliest(text) : merged(text);
}

/// The parts whose scores add up to the most (Viterbi), in the precision of SentencePiece: ties and
/// roundings decide.
std::vector<FoundPiece> PieceEncoder::likeliest(std::string_view text) const {
    struct Best {
        std::int32_t piece = -1;
        float score = 0;
        std::ptrdiff_t begin = -1;
    };
    std::vector<Best> ends(text.size() + 1);
    const float unknownScore = lowest_ - kUnknownPenalty;
    for (std::size_t begin = 0; begin < text.size();) {
        const float before = ends[begin].score;
        const std::size_t character = characterBytes(text.substr(begin));
        bool hasCharacter = false;
        const auto offer = [&](std::size_t bytes, std::int32_t piece, double score) {
            Best& best = ends[begin + bytes];
            if (best.begin >= 0 && !(score > static_cast<double>(best.score))) return;
            best = {piece, static_cast<float>(score), static_cast<std::ptrdiff_t>(begin)};
        };
        trie_.forEachPrefix(text.substr(begin), [&](std::size_t bytes, std::int32_t index) {
            const Piece& piece = model_.pieces[static_cast<std::size_t>(index)];
            if (piece.type == Piece::Type::Unused) return;
            const double score =
                piece.type == Piece::Type::UserDefined
                    ? static_cast<double>(static_cast<float>(bytes) * highest_) - 0.1
                    : static_cast<double>(piece.score);
            offer(bytes, index, score + static_cast<double>(before));
            hasCharacter = hasCharacter || bytes == character;
        });
        if (!hasCharacter)
            offer(character, static_cast<std::int32_t>(model_.unknown),
                  static_cast<double>(unknownScore + before));
        begin += character;
    }
    std::vector<FoundPiece> found;
    for (std::size_t end = text.size(); end > 0;) {
        const auto begin = static_cast<std::size_t>(ends[end].begin);
        found.push_back({text.substr(begin, end - begin), ends[end].piece});
        end = begin;
    }
    std::ranges::reverse(found);
    return found;
}

std::vector<FoundPiece> PieceEncoder::merged(std::string_view text) const {
    Merging merging(text, model_, normalizer_, places_);
    if (model_.kind == PieceModel::Kind::Bpe) merging.run();
    return merging.take(*this);
}

}  // namespace lockstep::data
