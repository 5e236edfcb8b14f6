// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/coordination/health/standstill.h"

using namespace lockstep;
using namespace lockstep::coordination;

namespace {

constexpr std::chrono::seconds kAge{12};

/// A process with one replica of the same number.
CollectiveWaiter waiter(std::uint32_t id, const char* host, std::uint64_t points,
                        std::optional<std::uint32_t> awaited) {
    return {id, id, host, 57, points, awaited, kAge};
}

}  // namespace

/// Two hosts with two processes each are "a" (0, 1) and "b" (2, 3); 0 and 2 lead them.
class StandstillTest : public QObject {
    Q_OBJECT

private slots:
    void whoWaitsForNobodyStandsStill() {
        const Finding finding = judgeStandstill({waiter(0, "a", 50, 1), waiter(1, "a", 49, {})});
        QCOMPARE(finding.sentence,
                 "process 1 (a) has not moved in all-reduce for 12 s at step 58; the others wait "
                 "for it there");
        QCOMPARE(finding.cause,
                 "has not moved in all-reduce for 12 s at step 58; the others wait for it there");
        QCOMPARE(finding.processes, std::vector<std::uint32_t>{1});
        QCOMPARE(finding.severity, kSeverityStuck);
    }
    void alsoWhereAllHaveReachedTheSamePoint() {
        const Finding finding = judgeStandstill({waiter(0, "a", 50, 1), waiter(1, "b", 50, {})});
        QCOMPARE(finding.processes, std::vector<std::uint32_t>{1});
    }
    void aThreadHeldWhileItWaitedForAMarkThatHasComeStandsStill() {
        const Finding finding =
            judgeStandstill({waiter(0, "a", 50, 1), waiter(1, "a", 51, 0), waiter(2, "b", 51, 0)});
        QCOMPARE(finding.processes, std::vector<std::uint32_t>{0});
        QVERIFY(finding.sentence.starts_with("process 0 (a) has not moved"));
    }
    void severalStandStillTogether() {
        const Finding finding = judgeStandstill(
            {waiter(0, "a", 50, 1), waiter(1, "a", 49, {}), waiter(2, "a", 49, {})});
        QCOMPARE(finding.processes, (std::vector<std::uint32_t>{1, 2}));
        QVERIFY(finding.sentence.starts_with("process 1 (a) and process 2 (a) have not moved"));
        QVERIFY(finding.cause.starts_with("is stuck: process 1 (a) and"));
        QVERIFY(!finding.isOfNetwork);
    }
    void aCutBetweenTwoHostsNamesItsTwoEnds() {
        const Finding finding = judgeStandstill({waiter(0, "a", 50, 2), waiter(1, "a", 50, 0),
                                                 waiter(2, "b", 50, 0), waiter(3, "b", 50, 2)});
        QCOMPARE(
            finding.sentence,
            "process 0 (a) and process 2 (b) have waited for each other in all-reduce for 12 s "
            "at step 58: the network between them may be down");
        QVERIFY(finding.cause.starts_with("it and process 2 (b) have waited for each other"));
        QVERIFY(finding.isOfNetwork);  // no start of the job's own repeats it
        QCOMPARE(finding.processes, (std::vector<std::uint32_t>{0, 2}));
    }
    void theThirdHostOfACutIsNotNamed() {
        const Finding finding =
            judgeStandstill({waiter(0, "a", 51, 1), waiter(1, "b", 50, 2), waiter(2, "c", 50, 1)});
        QCOMPARE(finding.processes, (std::vector<std::uint32_t>{1, 2}));
    }
    void whoseMessageNeverComesMayBeCutOffOneWay() {
        const Finding finding = judgeStandstill({waiter(0, "a", 50, 1), waiter(1, "b", 51, 0)});
        // The other waits for it, too: its own next message.
        QCOMPARE(finding.processes, (std::vector<std::uint32_t>{0, 1}));

        const Finding oneWay =
            judgeStandstill({waiter(0, "a", 50, 1), waiter(1, "b", 51, 2), waiter(2, "c", 51, 0)});
        QCOMPARE(oneWay.sentence,
                 "process 0 (a) has waited for process 1 (b) in all-reduce for 12 s at step 58: it "
                 "stands still, or the network between them may be down");
        QCOMPARE(oneWay.processes, std::vector<std::uint32_t>{0});
    }
    void whereNobodySaysWhomItWaitsForNobodyIsAccused() {
        const Finding finding = judgeStandstill({waiter(0, "a", 50, {}), waiter(1, "b", 50, {})});
        QCOMPARE(finding.sentence,
                 "all replicas have waited in all-reduce for 12 s at step 58: the network between "
                 "them may be down");
        QVERIFY(finding.processes.empty());
    }
    void oneProcessIsNamedOnce() {
        std::vector<CollectiveWaiter> all{waiter(0, "a", 49, {}), waiter(0, "a", 49, {}),
                                          waiter(1, "a", 50, 0)};
        all[1].replica = 7;
        QCOMPARE(judgeStandstill(all).processes, std::vector<std::uint32_t>{0});
    }
};

QTEST_GUILESS_MAIN(StandstillTest)
#include "tst_standstill.moc"
