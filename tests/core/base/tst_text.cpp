// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/base/plural.h"
#include "core/base/sanitize_lines.h"
#include "core/base/text.h"

using namespace lockstep;

class TextTest : public QObject {
    Q_OBJECT
private slots:
    void aMistypedNameFindsItsNeighbour() {
        const std::vector<std::string> names{"cluster", "training", "data", "launch"};
        QCOMPARE(nearestName("clutser", names).value_or(""), std::string("cluster"));
        QCOMPARE(nearestName("trainig", names).value_or(""), std::string("training"));
        QVERIFY(!nearestName("optimizer", names));
    }
    void processIdsAreCompressed() {
        const std::vector<int> ids{0, 1, 2, 3, 7, 9, 10};
        QCOMPARE(compressRanges(ids), std::string("0-3, 7, 9, 10"));
        QCOMPARE(compressRanges({}), std::string());
    }
    void wordsAreJoined() {
        const std::vector<std::string> words{"a", "b", "c"};
        QCOMPARE(joinWords(words), std::string("a, b and c"));
    }
    void whatIsCountedHasTheNounThatFits() {
        QCOMPARE(counted(1, "process"), std::string("1 process"));
        QCOMPARE(counted(2u, "process"), std::string("2 processes"));
        QCOMPARE(counted(std::size_t{0}, "replica"), std::string("0 replicas"));
        QCOMPARE(counted(3, "entry"), std::string("3 entries"));
        QCOMPARE(counted(3, "key"), std::string("3 keys"));
        QCOMPARE(counted(1, "more file"), std::string("1 more file"));
        QCOMPARE(counted(2, "epoch"), std::string("2 epochs"));
        QCOMPARE(countedWas(2, "batch"), std::string("2 batches were"));
        QCOMPARE(isCounted(1, "host"), std::string("is 1 host"));
    }
    void controlCharactersCannotReachATerminal() {
        QCOMPARE(sanitizeLine("a\x1b[31mred\x07 b\tc"), std::string("a?[31mred? b\tc"));
        QCOMPARE(sanitizeLine("x\xC2\x9Bq"), std::string("x??q"));
    }
    void aCutNeverSplitsACharacter() {
        QCOMPARE(sanitizeLine("ab\xC3\xA4", 3), std::string("ab"));
        QCOMPARE(sanitizeLines("a\x1b[2J\nb\r\n\nc"), std::string("a?[2J\nb?\n\nc"));
        QCOMPARE(sanitizeLines("a\n"), std::string("a\n"));
        QCOMPARE(sanitizeLine("ab\xC3\xA4", 4), std::string("ab\xC3\xA4"));
    }
};

QTEST_GUILESS_MAIN(TextTest)
#include "tst_text.moc"
