// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/base/rng.h"
#include "core/wire/codec.h"

using namespace lockstep;
using namespace lockstep::wire;

class CodecTest : public QObject {
    Q_OBJECT
private slots:
    void aMessageSurvivesTheTrip() {
        ToCoordinator message;
        message.set_run_id("r1");
        message.mutable_register_()->set_host("node-7");
        const auto bytes = encode(message);
        QVERIFY(bytes.has_value());
        const auto back = decode<ToCoordinator>(*bytes);
        QVERIFY(back.has_value());
        QCOMPARE(back->protocol(), kProtocol);
        QCOMPARE(back->register_().host(), std::string("node-7"));
    }
    void anotherProtocolIsNamed() {
        FromCoordinator message;
        message.set_protocol(kProtocol + 6);
        const auto back = decode<FromCoordinator>(message.SerializeAsString());
        QVERIFY(!back);
        QCOMPARE(back.error().code, ErrorCode::BadInput);
        QVERIFY(back.error().message.find("protocol 7") != std::string::npos);
        QVERIFY(!back.error().remedy.empty());
        QVERIFY(!decode<FromMonitor>(""));  // no version at all
    }
    void aMessageAboveItsLimitIsRefusedBothWays() {
        Record record;
        record.mutable_log()->set_text(std::string(kMaxRecordBytes, 'x'));
        QVERIFY(!encode(record));
        const auto back = decode<Record>(record.SerializeAsString());
        QVERIFY(!back);
        QCOMPARE(back.error().code, ErrorCode::Corrupt);
    }
    void garbageIsCorruptOrParsedButNeverMore() {
        CounterRng random(11);
        int refused = 0;
        for (int i = 0; i < 20'000; ++i) {
            std::string bytes(random.nextBelow(64), '\0');
            for (char& byte : bytes)
                byte = static_cast<char>(random.nextU32());
            if (!decode<ToCoordinator>(bytes)) ++refused;
        }
        QVERIFY(refused > 19'000);
    }
    void everyPrefixOfAMessageIsHandled() {
        Record record;
        record.mutable_failure()->set_cause("was killed by signal 9 (SIGKILL)");
        const std::string bytes = encode(record).value();
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            const auto back = decode<Record>(std::string_view(bytes).substr(0, size));
            QVERIFY(!back || back->failure().cause().empty());
        }
    }
    void invalidUtf8IsRefusedByTheReaderAndMendedByValidUtf8() {
        Record record;
        record.mutable_log()->set_text("loss \xff fell");
        QVERIFY(!decode<Record>(record.SerializeAsString()));
        record.mutable_log()->set_text(validUtf8("loss \xff fell"));
        QCOMPARE(decode<Record>(record.SerializeAsString()).value().log().text(),
                 std::string("loss ? fell"));
    }
    void validUtf8KeepsWhatIsValid() {
        const std::string text = "a\u00e9\u20ac\U0001F600";
        QCOMPARE(validUtf8(text), text);
        QCOMPARE(validUtf8("\xc0\x80"), std::string("??"));            // overlong
        QCOMPARE(validUtf8("\xed\xa0\x80"), std::string("???"));       // surrogate
        QCOMPARE(validUtf8("\xf4\x90\x80\x80"), std::string("????"));  // above U+10FFFF
        QCOMPARE(validUtf8("\xe2\x82"), std::string("??"));            // cut short
    }
};

QTEST_GUILESS_MAIN(CodecTest)
#include "tst_codec.moc"
