// SPDX-License-Identifier: Apache-2.0
// SentencePiece models: some that the library trained, and one written by hand as its protobuf.
#include "core/base/hash.h"
#include "core/data/text/sentence_piece.h"
#include "core/text/json.h"
#include "tests/core/data/bad_pieces.h"
#include "tests/core/data/source_place.h"

using namespace lockstep;
using namespace lockstep::data;
using namespace lockstep::data::test;

namespace {

using Tokens = std::vector<std::uint16_t>;

}  // namespace

class SentencePieceTest : public QObject {
    Q_OBJECT

    static constexpr const char* kJob =
        "dataset = \"text\"\nfiles = \"a.txt\"\nsequence_length = 4\ntokenizer = \"m.model\"\n";

private slots:
    void tokensAndTextsAreThoseOfTheLibrary() {
        // What tests/golden/sentence_piece.py has found, line by line.
        QFile golden(LOCKSTEP_SOURCE_DIR "/tests/golden/sentence_piece.txt");
        QVERIFY(golden.open(QIODevice::ReadOnly));
        const Place place;
        std::unique_ptr<Tokenizer> tokenizer;
        int texts = 0;
        while (!golden.atEnd()) {
            const QList<QByteArray> words = golden.readLine().trimmed().split(' ');
            if (words[0] == "model") {
                place.write("m.model", QByteArray::fromBase64(words[2]).toStdString());
                tokenizer = makeTokenizer("m.model", {}, place.job).value();
            }
            if (words[0] != "text") continue;
            const std::string text = QByteArray::fromBase64(words[1]).toStdString();
            Tokens tokens;
            for (const QByteArray& number : words.mid(3))
                tokens.push_back(number.toUShort());
            QCOMPARE(tokenizer->encode(text).value().tokens, tokens);
            QCOMPARE(tokenizer->decode(tokens), QByteArray::fromBase64(words[2]).toStdString());
            ++texts;
        }
        QVERIFY(texts > 100);
    }

    void aTextIsThePiecesOfTheModelAndBack() {
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
        QVERIFY(unknown.unknown.isKept);
        QCOMPARE(tokenizer->decode(Tokens{3, 60'000}), std::string("to"));
        QCOMPARE(tokenizer->decode(Tokens{4}), std::string("be"));
        QCOMPARE(continuationText(*tokenizer, Tokens{3}, Tokens{4}), std::string(" be"));
    }

    void whatTheModelHasNoPieceForIsSaidOfTheModel() {
        const Place place;
        place.write("m.model", modelFile());
        std::string text = "x to x ";
        for (int i = 0; i < 40; ++i)
            text += "to be ";
        place.write("a.txt", text);
        const auto dataset = place.load(kJob);
        LOADED(dataset);
        // The training text has them: it is the model that has not.
        QVERIFY(says(*dataset,
                     "training text: 2 places that the tokenizer's model has no piece for, taken "
                     "for its unknown token: x"));
        for (const std::string& note : dataset->notes)
            QVERIFY2(note.find("does not have") == std::string::npos, note.c_str());
    }
    void aLongTextIsReadInPartsThatChangeNoToken() {
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
        QCOMPARE(one->preparation, other->preparation);
        QCOMPARE(one->fingerprint, other->fingerprint);
        there.write("m.model", modelFile() + piece("to", -9));
        QVERIFY(there.load(kJob)->fingerprint != one->fingerprint);
    }

    void aCheckpointHoldsItsModel() {
        const Place place;
        place.write("m.model", modelFile());
        const auto json = makeTokenizer("m.model", {}, place.job).value()->json();
        QVERIFY(QFile::remove(place.dir.filePath("m.model")));
        const auto kept = tokenizerOf(text::parseJson(json.text()).value());
        QVERIFY2(kept, kept ? "" : kept.error().message.c_str());
        QCOMPARE((*kept)->encode("to be").value().tokens, (Tokens{3, 4}));
        QCOMPARE((*kept)->json().text(), json.text());
        const auto damaged = tokenizerOf(text::Json::object(
            {{"kind", "text"}, {"tokenizer", "sentencepiece"}, {"model", "AAAA"}}));
        QVERIFY(!damaged);
        QCOMPARE(damaged.error().message, std::string("its model is no SentencePiece model"));
    }

    void anOldCheckpointFindsItsModelWhereItWas() {
        const Place place;
        place.write("m.model", modelFile());
        const auto json = text::Json::object({{"kind", "text"},
                                              {"tokenizer", "sentencepiece"},
                                              {"path", (place.job / "m.model").string()},
                                              {"hash", contentHash(modelFile())}});
        QCOMPARE(tokenizerOf(json).value()->encode("to be").value().tokens, (Tokens{3, 4}));
        place.write("m.model", modelFile() + piece("to", -9));
        const auto changed = tokenizerOf(json);
        QVERIFY(!changed);
        QVERIFY(QString::fromStdString(changed.error().message)
                    .contains("is another SentencePiece model than the one that was trained with"));
    }

    void whatIsNoModelIsToldInWords() {
        const Place place;
        const std::string whole = modelFile();
        for (const std::string& file :
             {std::string("no model"), std::string(), whole.substr(0, whole.size() / 2),
              whole + "\x0a", whole + piece("t", -2), piece("a", -1), whole + field(2, field(3, 9)),
              whole + field(2, field(35, 1))}) {
            place.write("m.model", file);
            const auto broken = makeTokenizer("m.model", {}, place.job);
            QVERIFY(!broken);
            QVERIFY(QString::fromStdString(broken.error().message)
                        .endsWith("m.model is no SentencePiece model"));
            QVERIFY(!broken.error().remedy.empty());
        }
        place.write("m.model", whole + field(2, field(3, 3)));
        const auto words = makeTokenizer("m.model", {}, place.job);
        QVERIFY(!words);
        QVERIFY(QString::fromStdString(words.error().message)
                    .endsWith("is a SentencePiece model of whole words, which is not read"));
    }
};

QTEST_GUILESS_MAIN(SentencePieceTest)
#include "tst_sentence_piece.moc"
