// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>

#include "core/train/send_times.h"

using namespace lockstep;
using train::SendTimes;

namespace {

constexpr std::int64_t kEvery = 116;

std::int64_t nextCheckpoint(std::int64_t step) {
    return (step / kEvery + 1) * kEvery;
}

/// A sender beside steps of one length, with a pause behind each checkpoint, in virtual time.
struct Sending {
    Nanos latest{};  ///< The longest that a checkpoint's step lay there before it was sent.
    int looks = 0;

    Sending(Nanos step, Nanos pause, int checkpoints, SendTimes times) {
        Nanos now{};
        Nanos end = step;  // of the step that comes next
        for (std::int64_t done = 0; done < checkpoints * kEvery; ++looks) {
            for (; end <= now; end += step) {
                if (++done % kEvery != 0) continue;
                latest = std::max(latest, now - end);
                end += pause;
            }
            now += times.pauseBehind(done, now);
        }
    }
};

}  // namespace

class SendTimesTest : public QObject {
    Q_OBJECT
private slots:
    void whatACheckpointFollowsIsSentAtOnce_data() {
        QTest::addColumn<int>("microseconds");
        for (const int microseconds : {1000, 3000, 10'000, 40'000})
            QTest::addRow("steps of %d us", microseconds) << microseconds;
    }
    void whatACheckpointFollowsIsSentAtOnce() {
        QFETCH(const int, microseconds);
        const Nanos step = std::chrono::microseconds(microseconds);
        const Sending sent(step, Millis(200), 6, SendTimes(nextCheckpoint));
        QVERIFY2(sent.latest <= Millis(6), qPrintable(QString::number(sent.latest.count())));
    }

    void everythingElseIsSentTwentyTimesASecond() {
        SendTimes none({});
        QCOMPARE(none.pauseBehind(5, Millis(1)), SendTimes::kInterval);
        SendTimes times([](std::int64_t) { return std::int64_t{1'000'000}; });
        QCOMPARE(times.pauseBehind(0, Millis(0)), SendTimes::kInterval);
        for (int look = 1; look < 100; ++look)
            QCOMPARE(times.pauseBehind(10 * look, Millis(50 * look)), SendTimes::kInterval);
        SendTimes over([](std::int64_t) { return std::int64_t{0}; });
        for (int look = 1; look < 100; ++look)
            QCOMPARE(over.pauseBehind(10 * look, Millis(50 * look)), SendTimes::kInterval);
    }

    void aStepThatDoesNotComeIsLookedForEverMoreRarely() {
        SendTimes times(nextCheckpoint);
        QCOMPARE(times.pauseBehind(kEvery - 11, Millis(0)), SendTimes::kInterval);
        Nanos now = Millis(10);  // a step a millisecond; the next one hangs
        int looks = 0;
        for (; now < std::chrono::seconds(10); ++looks)
            now += times.pauseBehind(kEvery - 1, now);
        QVERIFY2(looks < 230, qPrintable(QString::number(looks)));
    }
};

QTEST_GUILESS_MAIN(SendTimesTest)
#include "tst_send_times.moc"
