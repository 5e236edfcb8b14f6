// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/telemetry/journal.h"
#include "core/telemetry/journal_repair.h"
#include "core/wire/messages/record.pb.h"

using namespace lockstep;
using namespace lockstep::telemetry;

class JournalRepairTest : public QObject {
    Q_OBJECT

    /// Frames of nothing, one behind the other, and not a byte more.
    static void check(std::uint64_t bytes) {
        const std::string frames = fillerFrames(bytes);
        QCOMPARE(frames.size(), bytes);
        FrameCursor cursor(frames);
        while (const auto record = cursor.next()) {
            QVERIFY(isFiller(*record));
            wire::Record parsed;
            QVERIFY(parsed.ParseFromArray(record->data(), static_cast<int>(record->size())));
            QVERIFY(parsed.body_case() == wire::Record::BODY_NOT_SET);
        }
        QCOMPARE(cursor.damage().bytes, std::uint64_t{0});
        QCOMPARE(cursor.offset(), bytes);
    }

private slots:
    void framesOfNothingTakeExactlyTheRoomThatIsAskedFor() {
        QVERIFY(fillerFrames(9).empty());
        for (std::uint64_t bytes = 10; bytes < 600; ++bytes)
            check(bytes);
        for (const std::uint64_t around :
             {std::uint64_t{1} << 14, std::uint64_t{1} << 21,
              std::uint64_t{kFrameHeaderBytes + kMaxJournalRecordBytes}})
            for (std::uint64_t bytes = around - 20; bytes < around + 20; ++bytes)
                check(bytes);
    }

    void recordsOfARunAreNone() {
        wire::Record record;
        record.set_wall_time(1);
        record.mutable_notice()->set_sentence("J");
        QVERIFY(!isFiller(record.SerializeAsString()));
        record.clear_wall_time();
        QVERIFY(!isFiller(record.SerializeAsString()));
    }
};

QTEST_GUILESS_MAIN(JournalRepairTest)
#include "tst_journal_repair.moc"
