// SPDX-License-Identifier: Apache-2.0
// When an agent asks its run to stop, and when it ends it by force.
#include <QtTest>

#include "core/launch/agent/end_orders.h"
#include "core/launch/agent/stop_grace.h"

using namespace lockstep;
using namespace lockstep::launch;
using namespace std::chrono_literals;

class EndOrdersTest : public QObject {
    Q_OBJECT
private slots:
    void nothingIsDueWithoutAnOrder() {
        EndOrders orders(20s);
        QVERIFY(orders.next(false, false, 0s) == EndOrders::Step::GoOn);
        QVERIFY(orders.next(false, false, 1h) == EndOrders::Step::GoOn);
    }
    void aStopIsAskedForOnceAndForcedWhenTheGraceIsOver() {
        EndOrders orders(20s);
        QVERIFY(orders.next(true, false, 100s) == EndOrders::Step::AskToStop);
        QVERIFY(orders.next(true, false, 100s + 50ms) == EndOrders::Step::GoOn);
        QVERIFY(orders.next(true, false, 120s) == EndOrders::Step::GoOn);
        QVERIFY(orders.next(true, false, 120s + 1ms) == EndOrders::Step::Force);
    }
    void theForceIsAskedForAgainShouldItHaveBeenLost() {
        EndOrders orders(20s);
        std::ignore = orders.next(true, false, 0s);
        QVERIFY(orders.next(true, false, 21s) == EndOrders::Step::Force);
        QVERIFY(orders.next(true, false, 40s) == EndOrders::Step::GoOn);
        QVERIFY(orders.next(true, false, 42s) == EndOrders::Step::Force);
    }
    void anAbandonedJobEndsWithinSeconds() {
        EndOrders orders(20s);
        QVERIFY(orders.next(false, true, 0s) == EndOrders::Step::AskToStop);
        QVERIFY(orders.next(false, true, 3s) == EndOrders::Step::GoOn);
        QVERIFY(orders.next(false, true, 3s + 1ms) == EndOrders::Step::Force);
    }
    void aJobThatIsStoppingAndThenAbandonedHasNoLongerTime() {
        EndOrders orders(20s);
        QVERIFY(orders.next(true, false, 0s) == EndOrders::Step::AskToStop);
        QVERIFY(orders.next(true, true, 10s) == EndOrders::Step::GoOn);
        QVERIFY(orders.next(true, true, 13s + 1ms) == EndOrders::Step::Force);
        EndOrders late(20s);
        std::ignore = late.next(true, false, 0s);
        std::ignore = late.next(true, true, 19s);
        QVERIFY(late.next(true, true, 20s + 1ms) == EndOrders::Step::Force);
    }
    void theLastStepAndCheckpointHaveTheTimeThatSlurmLeavesThem() {
        config::JobSpec job;
        job.slurm.stopBeforeLimitSeconds = 120;
        QVERIFY(stopGraceOf(job, false) == 20s);
        QVERIFY(stopGraceOfMember(job, false) == 25s);
        QVERIFY(stopGraceOf(job, true) == 120s);
        QVERIFY(stopGraceOfMember(job, true) == 125s);
        job.slurm.stopBeforeLimitSeconds = 5;
        QVERIFY(stopGraceOf(job, true) == 20s);
    }
    void aPreemptionIsNotTakenForTheTimeLimit() {
        config::JobSpec job;
        job.slurm.stopBeforeLimitSeconds = 120;
        QVERIFY(!isForTimeLimit(job, "10000", 9900));  // not of Slurm
        job.launch.method = config::LaunchMethod::Slurm;
        QVERIFY(isForTimeLimit(job, "10000", 9880));
        QVERIFY(isForTimeLimit(job, "10000", 9820));  // its signals may come a minute early
        QVERIFY(!isForTimeLimit(job, "10000", 9819));
        QVERIFY(isForTimeLimit(job, "10000", 10030));
        QVERIFY(!isForTimeLimit(job, nullptr, 9990));
        QVERIFY(!isForTimeLimit(job, "soon", 9990));
    }
    void aGraceThatIsKnownWithTheOrderIsTheOrders() {
        EndOrders orders(20s);
        orders.setGrace(120s);
        QVERIFY(orders.next(true, false, 0s) == EndOrders::Step::AskToStop);
        QVERIFY(orders.next(true, false, 120s) == EndOrders::Step::GoOn);
        QVERIFY(orders.next(true, false, 121s) == EndOrders::Step::Force);
    }
    void whereTheyTakeLongerItIsSaidWhatGivesThemTime() {
        QCOMPARE(graceIsOver(20s, false),
                 std::string("the run is ended by force, 20 s after SIGTERM: what it had still to "
                             "do (the last step, its checkpoint, scores) takes longer; "
                             "`lockstepctl stop` waits for it"));
        const std::string atLimit = graceIsOver(120s, true);
        QVERIFY(atLimit.find("120 s after SIGTERM") != std::string::npos);
        QVERIFY(atLimit.find("slurm.stop_before_limit_seconds is") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(EndOrdersTest)
#include "tst_end_orders.moc"
