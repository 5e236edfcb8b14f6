// SPDX-License-Identifier: Apache-2.0
// SentencePiece models, written by hand as the library's own protobuf: where this build has it.
#include <utility>

#include "core/data/text/sentence_piece.h"
#include "core/text/json.h"
#include "tests/core/data/source_place.h"

using namespace lockstep;
using namespace lockstep::data;
using namespace lockstep::data::test;

namespace {

/// A number as protobuf writes it.
std::string varint(std::uint64_t value) {
    std::string text;
    for (; value >= 128; value >>= 7)
        text += static_cast<char>(value % 128 + 128);
    return text + static_cast<char>(value);
}
/// A field that is a text or a message.
std::string field(int number, const std::string& content) {
    return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(content.size()) + content;
}
std::string field(int number, std::uint64_t value) {
    return varint(static_cast<std::uint64_t>(number) << 3) + varint(value);
}

enum PieceType : std::uint8_t { Normal = 1, Unknown = 2, Control = 3 };
/// SentencePiece of ModelProto: its text, score and type.
std::string piece(const std::string& text, float score, PieceType type = Normal) {
    std::string number(sizeof score, '\0');
    std::memcpy(number.data(), &score, sizeof score);
    return field(1, field(1, text) + varint(2 << 3 | 5) + number + field(3, type));
}

const std::string kSpace = "\xe2\x96\x81";  // U+2581, a space in a piece

/// A unigram model of nine pieces: <unk> 0, <s> 1, </s> 2, then those below.
std::string modelFile() {
    std::string model = piece("<unk>", 0, Unknown) + piece("<s>", 0, Control) +
                        piece("</s>", 0, Control) + piece(kSpace + "to", -1) +
                        piece(kSpace + "be", -1.5F) + piece(kSpace, -3) + piece("t", -4) +
                        piece("o", -4) + piece("b", -4);
    model += field(2, field(3, 1));           // trainer_spec: unigram
    model += field(3, field(1, "identity"));  // normalizer_spec: a space comes first, none twice
    return model;
}

using Tokens = std::vector<std::uint16_t>;

}  // namespace

class SentencePieceTest : public QObject {
    Q_OBJECT

    static constexpr const char* kJob =
        "dataset = \"text\"\nfiles = \"a.txt\"\nsequence_length = 4\ntokenizer = \"m.model\"\n";

private slots:
    void aBuildWithoutItSaysSo() {
        if (hasSentencePiece()) QSKIP("this build has SentencePiece");
        const Place place;
        place.write("m.model", modelFile());
        place.write("a.txt", "to be\n");
        const auto dataset = place.load(kJob);
        QVERIFY(!dataset);
        QVERIFY(QString::fromStdString(dataset.error().message).contains("SentencePiece"));
        QVERIFY(!dataset.error().remedy.empty());
    }

    void aTextIsThePiecesOfTheModelAndBack() {
        if (!hasSentencePiece()) QSKIP("this build has no SentencePiece");
        const Place place;
        place.write("m.model", modelFile());
        const auto tokenizer = makeTokenizer("m.model", {}, place.job).value();
        QCOMPARE(tokenizer->vocabulary(), std::int64_t{9});
        const auto text = tokenizer->encode("to be to bot").value();
        QCOMPARE(text.tokens, (Tokens{3, 4, 3, 5, 8, 7, 6}));
        QCOMPARE(text.unknown.count, std::uint64_t{0});
        QCOMPARE(tokenizer->decode(text.tokens), std::string("to be to bot"));
        const auto unknown = tokenizer->encode("to x").value();
        QCOMPARE(unknown.tokens, (Tokens{3, 5, 0}));
        QCOMPARE(unknown.unknown.count, std::uint64_t{1});
        QCOMPARE(unknown.unknown.names, std::vector<std::string>{"x"});
        QCOMPARE(tokenizer->decode(Tokens{3, 60'000}), std::string("to"));
    }

    void aLongTextIsReadInPartsThatChangeNoToken() {
        if (!hasSentencePiece()) QSKIP("this build has no SentencePiece");
        const Place place;
        place.write("m.model", modelFile());
        const auto tokenizer = makeTokenizer("m.model", {}, place.job).value();
        for (const char* between : {"\n", " "}) {
            std::string text;
            while (text.size() < (3U << 20))
                text += std::string("to be") + between;
            const auto tokens = tokenizer->encode(text).value().tokens;
            QVERIFY(tokens.size() > 1'000'000);
            for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
                if (tokens[i] == 3) QCOMPARE(tokens[i + 1], std::uint16_t{4});
        }
    }

    void hostsWithTheModelInDifferentFoldersTrainOnTheSameData() {
        if (!hasSentencePiece()) QSKIP("this build has no SentencePiece");
        std::string text;
        for (int i = 0; i < 200; ++i)
            text += "to be\n";
        const Place here;
        const Place there;
        for (const Place* place : {&here, &there}) {
            place->write("m.model", modelFile());
            place->write("a.txt", text);
        }
        const auto one = here.load(kJob);
        const auto other = there.load(kJob);
        LOADED(one);
        LOADED(other);
        QCOMPARE(one->facts.vocabulary, std::int64_t{9});
        QVERIFY(one->preparation != other->preparation);
        QCOMPARE(one->fingerprint, other->fingerprint);
        there.write("m.model", modelFile() + piece("to", -9));
        QVERIFY(there.load(kJob)->fingerprint != one->fingerprint);
    }

    void aCheckpointsModelIsTheOneThatWasTrainedWith() {
        if (!hasSentencePiece()) QSKIP("this build has no SentencePiece");
        const Place place;
        place.write("m.model", modelFile());
        const auto json = makeTokenizer("m.model", {}, place.job).value()->json();
        QCOMPARE(tokenizerOf(json).value()->encode("to be").value().tokens, (Tokens{3, 4}));
        place.write("m.model", modelFile() + piece("to", -9));
        const auto changed = tokenizerOf(json);
        QVERIFY(!changed);
        QVERIFY(QString::fromStdString(changed.error().message)
                    .contains("is another SentencePiece model than the one that was trained with"));
        place.write("m.model", "no model");
        const auto broken = makeTokenizer("m.model", {}, place.job);
        QVERIFY(!broken);
        QVERIFY(
            QString::fromStdString(broken.error().message).contains("is no SentencePiece model"));
    }
};

QTEST_GUILESS_MAIN(SentencePieceTest)
#include "tst_sentence_piece.moc"
