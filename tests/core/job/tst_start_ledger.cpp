// SPDX-License-Identifier: Apache-2.0
// Which restarts of a run its launcher counts.
#include <QtTest>

#include "core/coordination/state/lost_agent.h"
#include "core/job/source/start_ledger.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"
#include "tests/core/job/records.h"

using namespace lockstep;
using namespace lockstep::job;
using namespace lockstep::job::test;

namespace {

wire::Record failureOf(std::uint32_t process) {
    wire::Record record;
    record.mutable_failure()->set_process_id(process);
    record.mutable_failure()->set_cause("was killed");
    return record;
}

wire::Record restart() {
    return runState(1, wire::RUN_STATE_RESTARTING, "");
}

std::string framesOf(const std::vector<wire::Record>& records) {
    std::string frames;
    for (const wire::Record& record : records)
        telemetry::appendFrame(wire::encode(record).value(), frames);
    return frames;
}

}  // namespace

class StartLedgerTest : public QObject {
    Q_OBJECT

private slots:
    void aRestartIsCountedOnceHoweverOftenItIsTold() {
        StartLedger ledger(0);
        ledger.take(0, framesOf({failureOf(1), restart(), restart(), failureOf(2), restart()}));
        QCOMPARE(ledger.size(), 2);
        const auto failures = ledger.takeFailures();
        QCOMPARE(failures[0].process_id(), 1U);
        QCOMPARE(failures[1].process_id(), 2U);
        QCOMPARE(ledger.size(), 0);
    }
    void theNewestFailureIsItsCause() {
        StartLedger ledger(0);
        ledger.take(0, framesOf({failureOf(3), failureOf(1), restart()}));
        QCOMPARE(ledger.size(), 1);
        QCOMPARE(ledger.takeFailures()[0].process_id(), 1U);
    }
    void aFailureThatNothingFollowedIsNoRestartOfTheNextStart() {
        StartLedger ledger(0);
        const std::string lost = framesOf({failureOf(1)});
        ledger.take(0, lost);
        QVERIFY(ledger.takeFailures().empty());
        ledger.take(lost.size(), framesOf({restart()}));  // as the next start tells of itself
        QCOMPARE(ledger.size(), 0);
    }
    void whatALostStartHasWrittenIsNoRestartOfTheNextWhetherItWasReadBeforeOrNot_data() {
        QTest::addColumn<bool>("before");
        QTest::newRow("before") << true;
        QTest::newRow("behind its beginning") << false;
    }
    void whatALostStartHasWrittenIsNoRestartOfTheNextWhetherItWasReadBeforeOrNot() {
        QFETCH(const bool, before);
        StartLedger ledger(0);
        const std::string left = framesOf({failureOf(1)});
        if (before) ledger.take(0, left);
        ledger.beginAt(left.size());
        if (!before) ledger.take(0, left);
        ledger.take(left.size(), framesOf({restart()}));  // as the next start tells of itself
        QCOMPARE(ledger.size(), 0);
    }
    void theNewestCopyIsKnownWithItsPlace() {
        StartLedger ledger(0);
        wire::Record copied;
        copied.mutable_checkpoint_copy()->set_step(10);
        copied.mutable_checkpoint_copy()->set_path("/copy");
        wire::Record failed = copied;
        failed.mutable_checkpoint_copy()->set_step(20);
        failed.mutable_checkpoint_copy()->set_error("No space left on device");
        ledger.take(0, framesOf({copied, failed}));
        QCOMPARE(ledger.copy()->step(), 10U);
        QCOMPARE(ledger.copy()->path(), "/copy");
    }
    void earlierLaunchesAreNotCounted() {
        const std::string before = framesOf({failureOf(1), restart()});
        StartLedger ledger(before.size());
        ledger.take(0, before + framesOf({failureOf(2), restart()}));
        QCOMPARE(ledger.size(), 1);
        QCOMPARE(ledger.takeFailures()[0].process_id(), 2U);
    }
    void aRestartThatTrainedNothingCanBeTakenBack() {
        StartLedger ledger(0);
        wire::Record info;
        info.mutable_run_info();
        ledger.take(0, framesOf({failureOf(1), restart(), info}));
        QVERIFY(!ledger.endsUntrained());
        ledger.take(0, framesOf({failureOf(2), restart()}));
        QVERIFY(ledger.endsUntrained());
        ledger.dropUntrained();
        QCOMPARE(ledger.size(), 1);
        ledger.dropUntrained();
        QCOMPARE(ledger.takeFailures()[0].process_id(), 1U);
    }
    void anAgentThatOnlyTheLauncherStartsAgainIsKnown() {
        StartLedger ledger(0);
        wire::Record lost = failureOf(1);
        ledger.take(0, framesOf({lost}));
        QVERIFY(!ledger.lostAgent());
        lost.mutable_failure()->set_cause(coordination::kLostAgent);
        ledger.take(0, framesOf({failureOf(1), restart(), lost}));
        QCOMPARE(ledger.lostAgent()->process_id(), 1U);
    }
    void whatTheRunComputesOnIsThatOfItsNewestStart() {
        StartLedger ledger(0);
        QVERIFY(ledger.device().empty());
        wire::Record info;
        info.mutable_run_info()->set_device("gpu");
        ledger.take(0, framesOf({info}));
        QCOMPARE(ledger.device(), std::string("gpu"));
    }
};

QTEST_GUILESS_MAIN(StartLedgerTest)
#include "tst_start_ledger.moc"
