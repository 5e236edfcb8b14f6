// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <thread>

#include "core/telemetry/progress.h"

using namespace lockstep;
using namespace lockstep::telemetry;

class ProgressTest : public QObject {
    Q_OBJECT
private slots:
    void aHeartbeatSaysWhatTheReplicaDoes() {
        ReplicaProgressCell cell;
        QCOMPARE(cell.toWire(4, std::chrono::seconds(9)).phase(), wire::PHASE_STARTING);
        cell.completeStep(41);
        cell.enterCollective();
        cell.enter(wire::PHASE_ALL_REDUCE, std::chrono::seconds(10));
        const auto progress = cell.toWire(4, std::chrono::milliseconds(13'250));
        QCOMPARE(progress.replica(), 4U);
        QCOMPARE(progress.step(), 41U);
        QCOMPARE(progress.phase(), wire::PHASE_ALL_REDUCE);
        QCOMPARE(progress.phase_seconds(), 3.25F);
        QCOMPARE(progress.collective_sequence(), 1U);
    }
    void aPhaseThatHasJustBegunIsNeverNegative() {
        ReplicaProgressCell cell;
        cell.enter(wire::PHASE_DATA, std::chrono::seconds(10));
        QCOMPARE(cell.toWire(0, std::chrono::seconds(9)).phase_seconds(), 0.0F);
    }
    void aReaderNeverSeesHalfAWrite() {
        ReplicaProgressCell cell;
        std::atomic<bool> ended{false};
        std::jthread writer([&] {
            // The phase is a function of its start: a torn read would break the relation.
            for (std::int64_t i = 1; i <= 300'000; ++i)
                cell.enter(static_cast<wire::Phase>(i % 6), Nanos(i));
            ended = true;
        });
        std::uint64_t reads = 0;
        while (!ended) {
            const auto snapshot = cell.read();
            QCOMPARE(static_cast<std::int64_t>(snapshot.phase), snapshot.phaseStart.count() % 6);
            ++reads;
        }
        QVERIFY(reads > 0);
    }
};

QTEST_GUILESS_MAIN(ProgressTest)
#include "tst_progress.moc"
