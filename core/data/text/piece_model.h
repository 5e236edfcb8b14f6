// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lockstep::data {

/// A piece of a SentencePiece model: a part of a text, or something that stands for none.
struct Piece {
    enum class Type : std::uint8_t {
        Normal = 1,
        Unknown = 2,  ///< Of what no other piece is.
        Control = 3,  ///< <s>: never in a text.
        UserDefined = 4,
        Unused = 5,
        Byte = 6,  ///< "<0x41>".
    };
    std::string text;
    float score = 0;
    Type type = Type::Normal;

    /// Whether a text may hold it.
    [[nodiscard]] bool isInTexts() const {
        return type == Type::Normal || type == Type::UserDefined || type == Type::Unused;
    }
};

/// What a .model file of SentencePiece says, as far as it matters to tokens.
struct PieceModel {
    enum class Kind : std::uint8_t { Unigram = 1, Bpe = 2, Word = 3, Char = 4 };

    std::vector<Piece> pieces;
    std::size_t unknown = 0;  ///< Place of the unknown piece.
    Kind kind = Kind::Unigram;
    bool hasByteFallback = false;
    bool isWhitespaceSuffix = false;
    std::string unknownSurface = " \xe2\x81\x87 ";
    /// How texts are brought into one form: a double array and the texts that it points to.
    std::string charactersMap;
    bool addsDummyPrefix = true;
    bool removesExtraWhitespace = true;
    bool escapesWhitespace = true;
};

/// BadInput, as what goes on after the file's name ("is no SentencePiece model"), for other bytes
/// and for models of kinds that are not read.
[[nodiscard]] Result<PieceModel> parsePieceModel(std::string_view file);

}  // namespace lockstep::data
