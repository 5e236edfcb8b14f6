// SPDX-License-Identifier: Apache-2.0
// SentencePiece models, written by hand as their protobuf, and ones with one mistake each.
#pragma once

#include <cstring>

#include "tests/core/data/bad_source.h"

namespace lockstep::data::test {

/// A number as protobuf writes it.
inline std::string varint(std::uint64_t value) {
    std::string text;
    for (; value >= 128; value >>= 7)
        text += static_cast<char>(value % 128 + 128);
    return text + static_cast<char>(value);
}
/// A field that is a text or a message.
inline std::string field(int number, const std::string& content) {
    return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(content.size()) + content;
}
inline std::string field(int number, std::uint64_t value) {
    return varint(static_cast<std::uint64_t>(number) << 3) + varint(value);
}

enum PieceType : std::uint8_t { Normal = 1, Unknown = 2, Control = 3 };
/// SentencePiece of ModelProto: its text, score and type.
inline std::string piece(const std::string& text, float score, PieceType type = Normal) {
    std::string number(sizeof score, '\0');
    std::memcpy(number.data(), &score, sizeof score);
    return field(1, field(1, text) + varint(2 << 3 | 5) + number + field(3, type));
}

/// A unigram model of nine pieces: <unk> 0, <s> 1, </s> 2, then those below.
inline std::string modelFile() {
    const std::string space = "\xe2\x96\x81";  // U+2581, a space in a piece
    std::string model = piece("<unk>", 0, Unknown) + piece("<s>", 0, Control) +
                        piece("</s>", 0, Control) + piece(space + "to", -1) +
                        piece(space + "be", -1.5F) + piece(space, -3) + piece("t", -4) +
                        piece("o", -4) + piece("b", -4);
    model += field(2, field(3, 1));           // trainer_spec: unigram
    model += field(3, field(1, "identity"));  // normalizer_spec: a space comes first, none twice
    return model;
}

inline BadSources badPieces() {
    const auto model = [](const char* name, const std::string& file, const char* words) {
        std::string text;
        while (text.size() < 400)
            text += "to be or ";
        return BadSource{name,
                         textJob("tokenizer = \"m.model\"\n"),
                         {{"a.txt", text}, {"m.model", file}},
                         words};
    };
    const std::string whole = modelFile();
    const char* none = "m.model is no SentencePiece model";
    std::string large = whole;
    for (int i = 0; i < 70'000; ++i)
        large += piece("w" + std::to_string(i), -9);
    return {
        model("empty", "", none),
        model("a text", "no model", none),
        model("cut off", whole.substr(0, whole.size() / 2), none),
        model("a byte too many", whole + "\x0a", none),
        model("a piece twice", whole + piece("t", -2), none),
        model("no unknown piece", piece("a", -1), none),
        model("a kind that is not known", whole + field(2, field(3, 9)), none),
        model("whole words", whole + field(2, field(3, 3)),
              "m.model is a SentencePiece model of whole words, which is not read"),
        model("too many pieces", large, "m.model has 70009 pieces, more than "),
    };
}

}  // namespace lockstep::data::test
