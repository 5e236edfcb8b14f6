// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/base/rng.h"
#include "core/text/base64.h"

using namespace lockstep;

class Base64Test : public QObject {
    Q_OBJECT
private slots:
    void bytesAreThoseOfTheStandardAndComeBack() {
        CounterRng rng(7);
        for (int size = 0; size < 300; ++size) {
            std::string bytes;
            for (int i = 0; i < size; ++i)
                bytes += static_cast<char>(rng.nextBelow(256));
            const std::string text = text::toBase64(bytes);
            QCOMPARE(text, QByteArray::fromStdString(bytes).toBase64().toStdString());
            QCOMPARE(text::fromBase64(text).value(), bytes);
        }
    }
    void whatIsNotWrittenSoIsNothing() {
        for (const char* text : {"A", "AAA", "A===", "====", "AA=A", "AB==", "AA A",
                                 "AAAA=", "AA-_", "AA==AAAA", "\xff\xff\xff\xff"})
            QVERIFY2(!text::fromBase64(text), text);
    }
};

QTEST_GUILESS_MAIN(Base64Test)
#include "tst_base64.moc"
