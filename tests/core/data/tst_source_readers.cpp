// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>
#include <numbers>

#include "core/data/arrays/npy_file.h"
#include "core/data/arrays/zip_archive.h"
#include "core/data/source_file.h"
#include "core/data/table/cell.h"
#include "core/data/table/csv_reader.h"
#include "core/data/table/split_rows.h"
#include "core/data/table/table_header.h"
#include "core/data/text/tokenizer.h"
#include "core/data/text/utf8.h"
#include "tests/support/array_files.h"

using namespace lockstep;
using namespace lockstep::data;

class SourceReadersTest : public QObject {
    Q_OBJECT

    static SharedBytes bytes(const std::string& text) {
        return std::vector<std::uint8_t>(text.begin(), text.end());
    }
    /// Rows as "line: cell|cell (problem)".
    static QStringList rowsOf(std::string_view text) {
        CsvReader reader(text);
        CsvRow row;
        QStringList all;
        for (;;) {
            const auto more = reader.next(row);
            if (!more) return all << "error " + QString::fromStdString(more.error().message);
            if (!*more) return all;
            QStringList cells;
            for (const std::string_view cell : row.cells)
                cells << QString::fromUtf8(cell.data(), static_cast<int>(cell.size()));
            all << QString("%1: %2").arg(row.line).arg(cells.join('|')) +
                       (row.problem.empty() ? QString()
                                            : QString(" (%1)").arg(row.problem.c_str()));
        }
    }

private slots:
    void recordsAreThoseOfTheStandard_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QStringList>("rows");
        QTest::newRow("plain") << QByteArray("a,b\n1,2\n") << QStringList{"1: a|b", "2: 1|2"};
        QTest::newRow("no line end") << QByteArray("a,b\n1,2") << QStringList{"1: a|b", "2: 1|2"};
        QTest::newRow("windows") << QByteArray("a,b\r\n1,2\r\n") << QStringList{"1: a|b", "2: 1|2"};
        QTest::newRow("old mac") << QByteArray("a,b\r1,2\r") << QStringList{"1: a|b", "2: 1|2"};
        QTest::newRow("empty cells") << QByteArray(",\n,,x\n") << QStringList{"1: |", "2: ||x"};
        QTest::newRow("trailing comma") << QByteArray("a,") << QStringList{"1: a|"};
        QTest::newRow("empty lines") << QByteArray("\n\na\n\r\nb\n") << QStringList{"3: a", "5: b"};
        QTest::newRow("quotes") << QByteArray("\"a,b\",\"c\"\n") << QStringList{"1: a,b|c"};
        QTest::newRow("doubled quotes")
            << QByteArray("\"say \"\"yes\"\"\",\"\"\"\"\n") << QStringList{"1: say \"yes\"|\""};
        QTest::newRow("line ends in quotes") << QByteArray("\"a\nb\r\nc\rd\",2\nx,y\n")
                                             << QStringList{"1: a\nb\r\nc\rd|2", "5: x|y"};
        QTest::newRow("empty quotes") << QByteArray("\"\",\"\"\n") << QStringList{"1: |"};
        QTest::newRow("quote within") << QByteArray("5\",b\n") << QStringList{"1: 5\"|b"};
        QTest::newRow("text behind quotes")
            << QByteArray("\"a\"b,c\nd,e\n")
            << QStringList{"1: a|c (has text behind the quoted cell 1)", "2: d|e"};
        QTest::newRow("never closed")
            << QByteArray("a\n\"b\nc\n")
            << QStringList{"1: a", "error line 2: a cell begins with a quote that is never closed"};
        QTest::newRow("empty") << QByteArray() << QStringList{};
    }
    void recordsAreThoseOfTheStandard() {
        QFETCH(QByteArray, text);
        QFETCH(QStringList, rows);
        QCOMPARE(rowsOf({text.data(), static_cast<std::size_t>(text.size())}), rows);
    }

    void numbersAreReadExactlyWhateverTheLocale() {
        QCOMPARE(parseNumber("0.1").value(), 0.1);
        QCOMPARE(parseNumber(" +3.141592653589793 ").value(), std::numbers::pi);
        QCOMPARE(parseNumber("-1e-3").value(), -0.001);
        QCOMPARE(parseNumber("9007199254740993").value(), 9007199254740992.0);
        for (const char* wrong : {"3,5", "1 2", "0x10", "--1", "1e999", "inf", "twelve", "+-1"})
            QVERIFY2(!parseNumber(wrong), wrong);
        QCOMPARE(parseNumber("3,5").error().message, std::string("is \"3,5\", which is no number"));
        QCOMPARE(parseWhole("3.0").value(), 3);
        QCOMPARE(parseWhole("-9223372036854775808").value(), INT64_MIN);
        QVERIFY(!parseWhole("3.5"));
        QVERIFY(saysMissing("") && saysMissing(" NA ") && saysMissing("NaN") && !saysMissing("0"));
    }

    void wordsAreTakenWithoutTheBlanksAroundThem() {
        using config::FeatureKind;
        const auto wordOf = [](std::string_view cell) {
            const auto value = valueOfCell(cell, FeatureKind::StringCategorical, "near").value();
            return value.isMissing ? std::string("(missing)") : value.word;
        };
        QCOMPARE(wordOf(" NEAR BAY\t"), std::string("NEAR BAY"));
        QCOMPARE(wordOf("NA"), std::string("NA"));  // Namibia
        QCOMPARE(wordOf(""), std::string("(missing)"));
        QCOMPARE(wordOf("  "), std::string("(missing)"));
    }

    void everyFloat32OfDecimalsComesBack() {
        std::uint32_t bits = 12345;
        for (int i = 0; i < 20000; ++i) {
            bits = bits * 1664525U + 1013904223U;
            float value = 0;
            std::memcpy(&value, &bits, sizeof value);
            if (!std::isfinite(value)) continue;
            const QByteArray text = QByteArray::number(static_cast<double>(value), 'g', 9);
            QCOMPARE(static_cast<float>(parseNumber(text.constData()).value()), value);
        }
    }

    void columnsMayBeCalledAsOtherFormatsBegin() {
        for (const char* header : {"PAR1,PAR2,y\n1,2,3\n", "PAR1\n", "ARROW1,y\n1,2\n",
                                   "SQLite format 3,y\n1,2\n", "PK,y\n1,2\n"})
            QVERIFY2(refuseOtherTables(header).has_value(), header);
        QVERIFY(!refuseOtherTables("PAR1....PAR1"));
    }
    void rowsAreChosenFromEverywhereAndAlwaysTheSame() {
        const auto split = splitRows(1000, 0.2).value();
        QCOMPARE(split.validation.size(), std::size_t{200});
        QCOMPARE(split.training.size(), std::size_t{800});
        QCOMPARE(splitRows(1000, 0.2).value().validation, split.validation);
        const auto inFirstHalf =
            std::ranges::count_if(split.validation, [](auto r) { return r < 500; });
        QVERIFY2(inFirstHalf > 70 && inFirstHalf < 130, qPrintable(QString::number(inFirstHalf)));
        std::vector<std::uint32_t> all = split.training;
        all.insert(all.end(), split.validation.begin(), split.validation.end());
        std::ranges::sort(all);
        for (std::uint32_t i = 0; i < 1000; ++i)
            QCOMPARE(all[i], i);
        QVERIFY(splitRows(10, 0).value().validation.empty());
        QVERIFY(!splitRows(1, 0.5));
    }

    void arraysOfEveryTypeAndVersionAreRead_data() {
        QTest::addColumn<QByteArray>("descr");
        QTest::addColumn<QByteArray>("content");
        const auto row = [](const char* descr, const std::string& content) {
            QTest::newRow(descr) << QByteArray(descr)
                                 << QByteArray(content.data(), static_cast<int>(content.size()));
        };
        row("|u1", tests::bytesOfAll<std::uint8_t>({1, 100}));
        row("|i1", tests::bytesOfAll<std::int8_t>({1, 100}));
        row("<u2", tests::bytesOfAll<std::uint16_t>({1, 100}));
        row("<i2", tests::bytesOfAll<std::int16_t>({1, 100}));
        row("<u4", tests::bytesOfAll<std::uint32_t>({1, 100}));
        row("<i4", tests::bytesOfAll<std::int32_t>({1, 100}));
        row("<u8", tests::bytesOfAll<std::uint64_t>({1, 100}));
        row("<i8", tests::bytesOfAll<std::int64_t>({1, 100}));
        row("<f4", tests::bytesOfAll<float>({1, 100}));
        row("<f8", tests::bytesOfAll<double>({1, 100}));
    }
    void arraysOfEveryTypeAndVersionAreRead() {
        QFETCH(QByteArray, descr);
        QFETCH(QByteArray, content);
        for (const int version : {1, 2, 3}) {
            const auto array = parseNpy(
                bytes(tests::npyOf(descr.constData(), "(2, 1)", content.toStdString(), version)));
            QVERIFY2(array, array ? "" : array.error().message.c_str());
            QCOMPARE(array->shape, (std::vector<std::uint64_t>{2, 1}));
            QCOMPARE(array->at(0), 1.0);
            QCOMPARE(array->at(1), 100.0);
        }
    }

    void archivesHoldWhatWasPutIn() {
        const std::string x = tests::npyOf("<f4", "(3,)", tests::bytesOfAll<float>({1, 2, 3}));
        const std::string y(100'000, 'y');
        for (const bool isPacked : {false, true}) {
            const auto archive =
                ZipArchive::open(bytes(tests::npzOf({{"x", x}, {"y", y}}, isPacked)));
            QVERIFY2(archive, archive ? "" : archive.error().message.c_str());
            QCOMPARE(archive->entries().size(), std::size_t{2});
            QCOMPARE(archive->entries()[1].name, std::string("y.npy"));
            QCOMPARE(textOf(archive->read(archive->entries()[0]).value()), std::string_view(x));
            QCOMPARE(textOf(archive->read(archive->entries()[1]).value()), std::string_view(y));
        }
    }

    void aChangedByteOfAnArchiveIsFound() {
        std::string file = tests::npzOf({{"x", std::string(1000, 'x')}});
        file[500] = 'z';
        const auto archive = ZipArchive::open(bytes(file)).value();
        const auto read = archive.read(archive.entries()[0]);
        QVERIFY(!read &&
                read.error().message.find("does not match its checksum") != std::string::npos);
    }

    void charactersAreReadAndWritten() {
        const std::string text = "aé€😀\n";
        std::string again;
        std::size_t at = 0;
        while (at < text.size())
            again += utf8Of(nextCharacter(text, at).value());
        QCOMPARE(again, text);
        QCOMPARE(nameOfCharacter(U'é'), std::string("é (U+00E9)"));
        QCOMPARE(nameOfCharacter(U'\n'), std::string("U+000A"));
        for (const char* wrong : {"\x80", "\xc0\xaf", "\xe2\x82", "\xed\xa0\x80",
                                  "\xf4\x90\x80\x80", "\xe0\x80\x80", "\xff"}) {
            std::size_t from = 0;
            QVERIFY(!nextCharacter(wrong, from));
        }
    }

    void tokenizersComeBackFromCheckpoints() {
        for (const char* name : {"bytes", "characters"}) {
            const auto made = makeTokenizer(name, "to be or né to be", {}).value();
            QCOMPARE(made->vocabulary(), name == std::string("bytes") ? 256 : 8);
            const auto again = tokenizerOf(text::parseJson(made->json().text()).value()).value();
            const auto tokens = again->encode("be né").value().tokens;
            QCOMPARE(tokens, made->encode("be né").value().tokens);
            QCOMPARE(again->decode(tokens), std::string("be né"));
        }
        const auto characters = makeTokenizer("characters", "cab", {}).value();
        QCOMPARE(characters->encode("abc").value().tokens, (std::vector<std::uint16_t>{0, 1, 2}));
        const auto unknown = characters->encode("axbxé").value();
        QCOMPARE(unknown.tokens, (std::vector<std::uint16_t>{0, 1}));
        QCOMPARE(unknown.unknown.count, std::uint64_t{3});
        QCOMPARE(unknown.unknown.names, (std::vector<std::string>{"x (U+0078)", "é (U+00E9)"}));
    }
};

QTEST_GUILESS_MAIN(SourceReadersTest)
#include "tst_source_readers.moc"
