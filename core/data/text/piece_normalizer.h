// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/text/piece_model.h"
#include "core/data/text/piece_trie.h"

namespace lockstep::data {

inline constexpr std::string_view kPieceSpace = "\xe2\x96\x81";  ///< U+2581, a space in a piece.

/// Bytes of the first character of a text that has one.
[[nodiscard]] std::size_t characterBytes(std::string_view text);

/// Brings texts into the form that a model's pieces are made of: characters as its map says, spaces
/// as the model has them. What the model's own symbols are stays as it is.
class PieceNormalizer {
public:
    explicit PieceNormalizer(const PieceModel& model);

    [[nodiscard]] std::string normalize(std::string_view text) const;
    /// The first symbol of the user's, or character, of `text`: its bytes, and whether it is such a
    /// symbol.
    [[nodiscard]] std::pair<std::size_t, bool> firstPart(std::string_view text) const;

private:
    struct Prefix {
        std::string_view text;
        std::size_t bytes = 0;  ///< Of what it stands for.
    };
    [[nodiscard]] Prefix prefixOf(std::string_view text) const;

    bool addsDummyPrefix_;
    bool removesExtraWhitespace_;
    bool isWhitespaceSuffix_;
    std::string_view space_;
    std::vector<std::uint32_t> map_;  ///< A double array.
    std::string forms_;               ///< Texts that it points to, each with a zero behind it.
    PieceTrie symbols_;               ///< The user's.
};

}  // namespace lockstep::data
