// SPDX-License-Identifier: Apache-2.0
// Which committed checkpoints have a copy on another host, by the records that pass.
#include <QtTest>

#include "core/coordination/exchange/copy_account.h"

using namespace lockstep;
using namespace lockstep::coordination;

namespace {

void commit(CopyAccount& account, std::uint64_t step, const char* error = "") {
    wire::CheckpointEvent event;
    event.set_step(step);
    event.set_error(error);
    account.note(event);
}

void copy(CopyAccount& account, std::uint64_t step, const char* error = "") {
    wire::CheckpointCopy record;
    record.set_step(step);
    record.set_host("node-b");
    record.set_error(error);
    account.note(record);
}

}  // namespace

class CopyAccountTest : public QObject {
    Q_OBJECT
private slots:
    void whatIsCommittedIsAwaitedUntilItIsCopied() {
        CopyAccount account;
        QCOMPARE(account.tally().awaited, 0);
        commit(account, 10);
        QCOMPARE(account.tally().awaited, 10);
        copy(account, 10);
        const CopyTally tally = account.tally();
        QCOMPARE(tally.awaited, 0);
        QCOMPARE(tally.newest, 10);
        QCOMPARE(tally.copied, 1U);
        QCOMPARE(tally.host, "node-b");
    }
    void whatCouldNotBeCommittedIsAwaitedByNobody() {
        CopyAccount account;
        commit(account, 10, "No space left on device");
        QCOMPARE(account.tally().awaited, 0);
    }
    void thoseBeforeTheOneThatIsCopiedAreOvertaken() {
        CopyAccount account;
        for (const std::uint64_t step : {10, 20, 30, 40})
            commit(account, step);
        copy(account, 30);
        QCOMPARE(account.tally().overtaken, 2U);
        QCOMPARE(account.tally().awaited, 40);
    }
    void aCopyThatIsToldBeforeItsCommitIsNotAwaited() {
        CopyAccount account;
        commit(account, 10);
        copy(account, 20);
        commit(account, 20);
        QCOMPARE(account.tally().awaited, 0);
        QCOMPARE(account.tally().overtaken, 1U);
    }
    void theBestThatIsCopiedLaterOvertakesNothing() {
        CopyAccount account;
        commit(account, 10);
        commit(account, 20);
        copy(account, 20);
        commit(account, 30);
        copy(account, 10);
        QCOMPARE(account.tally().awaited, 30);
        QCOMPARE(account.tally().newest, 20);
        QCOMPARE(account.tally().copied, 2U);
    }
    void theHostIsThatOfTheNewestCopyNotOfAnAttempt() {
        CopyAccount account;
        commit(account, 10);
        copy(account, 10);
        wire::CheckpointCopy elsewhere;
        elsewhere.set_step(20);
        elsewhere.set_host("node-c");
        elsewhere.set_error("No space left on device");
        account.note(elsewhere);
        QCOMPARE(account.tally().host, "node-b");
    }
    void attemptsThatFailAreCountedAndTheirReasonIsThatOfTheLast() {
        CopyAccount account;
        commit(account, 10);
        copy(account, 10, "No space left on device");
        copy(account, 10, "No space left on device");
        QCOMPARE(account.tally().failures, 2U);
        QCOMPARE(account.tally().problem, "No space left on device");
        QCOMPARE(account.tally().awaited, 10);
        copy(account, 10);
        QVERIFY(account.tally().problem.empty());
        QCOMPARE(account.tally().failures, 2U);
    }
};

QTEST_GUILESS_MAIN(CopyAccountTest)
#include "tst_copy_account.moc"
