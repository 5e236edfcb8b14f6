// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/base/hash.h"

using namespace lockstep;

class HashTest : public QObject {
    Q_OBJECT
private slots:
    void theDigitsAreThoseOfXxh3() {
        // As `xxhsum -H2` prints it for no bytes.
        QCOMPARE(contentHash(""), std::string("99aa06d3014798d86001c324468d497f"));
    }
    void piecesGiveTheHashOfTheWhole() {
        ContentHash hash;
        hash.add("a content of ");
        hash.add("");
        hash.add("two pieces");
        QCOMPARE(hash.digits(), contentHash("a content of two pieces"));
        hash.add(".");
        QVERIFY(hash.digits() != contentHash("a content of two pieces"));
    }
    void everyByteCounts() {
        QVERIFY(contentHash("a") != contentHash("b"));
        QVERIFY(shortHash("a") != shortHash("b"));
    }
};

QTEST_APPLESS_MAIN(HashTest)
#include "tst_hash.moc"
