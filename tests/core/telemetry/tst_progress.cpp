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
        cell.collectivePlace().reachPoint();
        const Awaiting other(cell.collectivePlace(), 3);
        cell.enter(wire::PHASE_ALL_REDUCE, std::chrono::seconds(10));
        const auto progress = cell.toWire(4, std::chrono::milliseconds(13'250));
        QCOMPARE(progress.replica(), 4U);
        QCOMPARE(progress.step(), 41U);
        QCOMPARE(progress.phase(), wire::PHASE_ALL_REDUCE);
        QCOMPARE(progress.phase_seconds(), 3.25F);
        QCOMPARE(progress.collective_points(), 1U);
        QCOMPARE(progress.awaited_replica(), 3U);
        QCOMPARE(progress.collective(), wire::COLLECTIVE_NONE);
    }
    void theCollectiveThatAReplicaIsInIsNamedWithItsBucket() {
        ReplicaProgressCell cell;
        const auto now = [&] { return cell.toWire(0, Nanos(1)); };
        cell.collectivePlace().beginSum(0);
        QCOMPARE(now().collective(), wire::COLLECTIVE_SUM);
        QVERIFY(now().has_bucket() && now().bucket() == 0);
        cell.collectivePlace().beginSum(70'000);
        QCOMPARE(now().bucket(), 70'000U);
        cell.collectivePlace().begin(CollectiveKind::Broadcast);
        QCOMPARE(now().collective(), wire::COLLECTIVE_BROADCAST);
        QVERIFY(!now().has_bucket());
        cell.collectivePlace().reset();
        QCOMPARE(now().collective(), wire::COLLECTIVE_NONE);
    }
    void aShareIsToldWithItsTimeUnlessItWasCutShort() {
        using std::chrono::seconds;
        ReplicaProgressCell cell;
        QVERIFY(!cell.toWire(0, seconds(9)).has_share());
        cell.beginShare(seconds(10));
        QCOMPARE(cell.toWire(0, seconds(14)).share().number(), 1U);
        QCOMPARE(cell.toWire(0, seconds(14)).share().seconds(), 4.0F);
        QVERIFY(!cell.toWire(0, seconds(14)).share().done());
        cell.endShare(seconds(16), true);
        QCOMPARE(cell.toWire(0, seconds(30)).share().seconds(), 6.0F);
        QVERIFY(cell.toWire(0, seconds(30)).share().done());
        cell.beginShare(seconds(40));
        cell.endShare(seconds(41), false);
        QVERIFY(!cell.toWire(0, seconds(42)).has_share());
        cell.beginShare(seconds(50));  // it was one of all the same
        QCOMPARE(cell.toWire(0, seconds(50)).share().number(), 3U);
        cell.forgetShares();
        QVERIFY(!cell.toWire(0, seconds(60)).has_share());
        cell.beginShare(seconds(61));
        QCOMPARE(cell.toWire(0, seconds(61)).share().number(), 1U);
    }
    void whatComesBehindAnAlignmentIsComparableWhateverWasReachedBefore() {
        CollectivePlace few;
        CollectivePlace many;
        for (int i = 0; i < 1000; ++i)
            many.reachPoint();
        few.align();
        few.reachPoint();
        QVERIFY(few.points > many.points);  // which has still to come to it
        many.align();
        QVERIFY(few.points > many.points);
        many.reachPoint();
        QCOMPARE(few.points.load(), many.points.load());
        few.align();
        many.align();
        QCOMPARE(few.points.load(), many.points.load());
    }
    void aPhaseThatHasJustBegunIsNeverNegative() {
        ReplicaProgressCell cell;
        cell.enter(wire::PHASE_DATA, std::chrono::seconds(10));
        QCOMPARE(cell.toWire(0, std::chrono::seconds(9)).phase_seconds(), 0.0F);
    }
    void aReaderNeverSeesHalfAWrite() {
        ReplicaProgressCell cell;
        std::jthread writer([&](const std::stop_token& stop) {
            // The phase is a function of its start: a torn read would break the relation.
            for (std::int64_t i = 1; !stop.stop_requested(); ++i)
                cell.enter(static_cast<wire::Phase>(i % 6), Nanos(i));
        });
        std::int64_t newest = 0;
        for (int reads = 0; reads < 20'000 || newest < 20'000; ++reads) {
            const auto snapshot = cell.read();
            newest = snapshot.phaseStart.count();
            QCOMPARE(static_cast<std::int64_t>(snapshot.phase), newest % 6);
        }
    }
};

QTEST_GUILESS_MAIN(ProgressTest)
#include "tst_progress.moc"
