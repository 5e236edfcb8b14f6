// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/base/rng.h"
#include "tests/core/model/model_mistakes.h"
#include "tests/core/model/model_text.h"

using namespace lockstep;
using namespace lockstep::model;
using namespace lockstep::model::test;

class ModelMistakesTest : public QObject {
    Q_OBJECT
private slots:
    void mistakesAreNamedByPlace_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        for (const auto& list : {wordsAndValues(), references(), shapes()})
            for (const Mistake& mistake : list)
                QTest::newRow(mistake.name)
                    << QString::fromStdString(mistake.text) << QString::fromUtf8(mistake.expected);
    }
    void mistakesAreNamedByPlace() {
        QFETCH(const QString, text);
        QFETCH(const QString, expected);
        const QString found = QString::fromStdString(mistakeIn(text.toStdString(), images(28, 1)));
        QVERIFY2(found.contains(expected), qPrintable(found));
        QVERIFY(!found.contains(QStringLiteral("WITHOUT REMEDY")));
    }
    void mistakesInTheExamplesAreNamedByPlace() {
        const auto changed = [](const char* file, const QString& before, const QString& after) {
            QString text = QString::fromStdString(modelFile(file));
            if (!text.contains(before)) return std::string("the example has no such text");
            text.replace(text.indexOf(before), before.size(), after);
            return text.toStdString();
        };
        const std::string filters =
            mistakeIn(changed("resnet18-cifar10.toml",
                              QStringLiteral("\"downsample.0\", filters = \"$filters\""),
                              QStringLiteral("\"downsample.0\", filters = 64")),
                      images(32, 3));
        QVERIFY2(
            filters.find("model.blocks.down.layers[0] adds what its layers give, 16 x 16 x 128, to "
                         "what its shortcut gives, 16 x 16 x 64 (used by model.layers[3])") !=
                std::string::npos,
            filters.c_str());
        const std::string block = mistakeIn(
            changed("resnet18-cifar10.toml", QStringLiteral("\"down\",  name = \"layer3.0\""),
                    QStringLiteral("\"dwon\",  name = \"layer3.0\"")),
            images(32, 3));
        QVERIFY2(
            block.find("model.layers[5].block is \"dwon\", but there is no such block, did you "
                       "mean down?") != std::string::npos,
            block.c_str());
        const std::string heads = mistakeIn(
            changed("tiny-gpt.toml", QStringLiteral("heads = 6,"), QStringLiteral("heads = 7,")),
            {.input = {256}, .columns = {}, .classes = 0, .vocabulary = 65});
        QVERIFY2(
            heads.find("model.blocks.transformer.layers[0].residual[1] has 7 heads, among which "
                       "its 384 features cannot be shared (used by model.layers[3])") !=
                std::string::npos,
            heads.c_str());
    }
    void allMistakesOfATextAreNamed() {
        const DescriptionReading reading =
            read("{ unit = 3 },\n{ type = \"conv9d\" },\n{ type = \"dropout\", rate = 2 }");
        QCOMPARE(reading.problems.size(), std::size_t{3});
        for (int i = 0; i < 3; ++i)
            QCOMPARE(reading.problems[std::size_t(i)].place.line, 3 + i);
    }
    void aThousandMistakesAreNotAllNamed() {
        std::string text;
        for (int i = 0; i < 1000; ++i)
            text += "3, ";
        const DescriptionReading reading = read(text);
        QCOMPARE(reading.problems.size(), std::size_t{101});
        QVERIFY(sentenceOf(reading.problems.back()).find("more problems") != std::string::npos);
    }
    void whateverIsWrittenIsANetworkOrAMistake() {
        const QStringList words{QStringLiteral("0"),
                                QStringLiteral("-1"),
                                QStringLiteral("9223372036854775807"),
                                QStringLiteral("1048576"),
                                QStringLiteral("[]"),
                                QStringLiteral("\"$filters\""),
                                QStringLiteral("\"down\""),
                                QStringLiteral("{}"),
                                QStringLiteral("nan"),
                                QStringLiteral("\"input\""),
                                QStringLiteral("\"layer1\""),
                                QStringLiteral("[[1, 2]]"),
                                QStringLiteral("\"dense\""),
                                QStringLiteral("1979-05-27"),
                                QStringLiteral("true")};
        const QRegularExpression value(QStringLiteral("(?<== )(\"[^\"]*\"|[0-9.e-]+|true|false)"));
        CounterRng rng(5);
        int networks = 0;
        int mistakes = 0;
        for (int i = 0; i < 3000; ++i) {
            QString text = QString::fromStdString(
                modelFile(i % 2 == 0 ? "resnet18-cifar10.toml" : "tiny-gpt.toml"));
            for (std::uint32_t change = 0; change <= rng.nextBelow(2); ++change) {
                QList<QRegularExpressionMatch> all;
                for (auto match = value.globalMatch(text); match.hasNext();)
                    all << match.next();
                const auto& one = all[qsizetype(rng.nextBelow(std::uint32_t(all.size())))];
                text.replace(one.capturedStart(), one.capturedLength(),
                             words[qsizetype(rng.nextBelow(std::uint32_t(words.size())))]);
            }
            const std::string found =
                mistakeIn(text.toStdString(),
                          i % 2 == 0 ? images(32, 3) : DataFacts{.input = {256}, .vocabulary = 65});
            QVERIFY2(found.find("WITHOUT REMEDY") == std::string::npos ||
                         found.find("the text") != std::string::npos,
                     found.c_str());
            ++(found == "a network" ? networks : mistakes);
        }
        QVERIFY(networks > 30 && mistakes > 1000);
    }
    void dataOfImpossibleSizeIsRefused() {
        for (const Shape& input : {Shape{0}, Shape{-3}, Shape{1 << 20, 1 << 20}})
            QVERIFY(mistakeIn("{ units = 3 }", {.input = input, .columns = {}}).find("samples") !=
                    std::string::npos);
    }
};

QTEST_GUILESS_MAIN(ModelMistakesTest)
#include "tst_model_mistakes.moc"
