// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/data/text/piece_model.h"
#include "core/data/text/piece_normalizer.h"
#include "core/data/text/piece_trie.h"

namespace lockstep::data {

/// A part of a normalized text, and its piece.
struct FoundPiece {
    std::string_view text;
    std::int32_t piece = 0;  ///< Index of PieceModel::pieces.
};

/// Cuts normalized texts into a model's pieces, as SentencePiece does without sampling. Model and
/// normalizer outlive it.
class PieceEncoder {
public:
    PieceEncoder(const PieceModel& model, const PieceNormalizer& normalizer);

    /// The parts point into `text`.
    [[nodiscard]] std::vector<FoundPiece> encode(std::string_view text) const;
    /// The piece that a part is, else the unknown one.
    [[nodiscard]] std::int32_t pieceOf(std::string_view part) const;

private:
    [[nodiscard]] std::vector<FoundPiece> likeliest(std::string_view text) const;
    [[nodiscard]] std::vector<FoundPiece> merged(std::string_view text) const;

    const PieceModel& model_;
    const PieceNormalizer& normalizer_;
    PieceTrie trie_;  ///< Of what texts may hold.
    std::unordered_map<std::string_view, std::int32_t> places_;
    float lowest_ = 0;   ///< Score of a normal piece.
    float highest_ = 0;  ///< Likewise, above 0.
};

}  // namespace lockstep::data
