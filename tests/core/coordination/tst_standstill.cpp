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

/// Three that wait, of which nobody stands still: 0 and 2 wait for each other.
std::vector<CollectiveWaiter> threeHosts() {
    std::vector<CollectiveWaiter> all{waiter(0, "a", 50, 2), waiter(1, "b", 51, 0),
                                      waiter(2, "c", 50, 0)};
    all[0].collective = all[2].collective = "all-reduce of bucket 2";
    return all;
}

Finding judgedWith(std::vector<BrokenLink> broken, bool askedAll = true,
                   const std::string& subject = "all-reduce 50") {
    return judgeStandstill(threeHosts(), {subject, std::move(broken), 3, askedAll});
}

/// Ten that wait, two on a host.
Finding judgedOfTen(std::vector<BrokenLink> broken) {
    constexpr const char* kHosts[] = {"a", "b", "c", "d", "e"};
    std::vector<CollectiveWaiter> all;
    for (std::uint32_t id = 0; id < 10; ++id)
        all.push_back(waiter(id, kHosts[id / 2], 50, (id + 1) % 10));
    return judgeStandstill(all, {"all-reduce 50", std::move(broken), 10, true});
}

using Ids = std::vector<std::uint32_t>;

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
    void aLinkThatIsBrokenIsNamed() {
        const Finding finding = judgedWith({{0, 2, true}});
        QCOMPARE(
            finding.sentence,
            "process 0 (a) and process 2 (c) do not reach each other: all replicas have waited "
            "in all-reduce of bucket 2 for 12 s at step 58");
        QVERIFY(finding.cause.starts_with("it and process 2 (c) do not reach each other: all "));
        QCOMPARE(finding.processes, (std::vector<std::uint32_t>{0, 2}));
        QVERIFY(finding.isOfNetwork && finding.knowsLinks);
        QCOMPARE(finding.subject, judgeStandstill(threeHosts()).subject);  // the grace goes on
    }
    void aLinkThatIsBrokenOneWayIsNamedSo() {
        const Finding finding = judgedWith({{2, 0, false}});
        QVERIFY2(finding.sentence.starts_with(
                     "process 2 (c) does not reach process 0 (a), which reaches it: all replicas "),
                 finding.sentence.c_str());
        QVERIFY(finding.cause.starts_with("does not reach process 0 (a)"));
        QCOMPARE(finding.processes, (std::vector<std::uint32_t>{2, 0}));
    }
    void ofSeveralBrokenLinksWhoHasMostIsNamed() {
        const Finding finding = judgedWith({{0, 2, true}, {1, 2, true}});
        QVERIFY2(finding.sentence.starts_with("process 2 (c) is cut off from process 0 (a) and "
                                              "process 1 (b) (2 of 3 links are down): all "),
                 finding.sentence.c_str());
        QCOMPARE(finding.processes, std::vector<std::uint32_t>{2});
    }
    void twoBrokenLinksThatShareNoEndAccuseNobody() {
        const Finding finding = judgedOfTen({{0, 1, true}, {6, 7, true}});
        QCOMPARE(finding.sentence,
                 "2 of 45 links are down, between process 0 (a) and process 1 (a), process 6 (d) "
                 "and process 7 (d): all replicas have waited in all-reduce for 12 s at step 58");
        QCOMPARE(finding.cause, finding.sentence);
        QCOMPARE(finding.processes, (Ids{0, 1, 6, 7}));
        QVERIFY(finding.isOfSeveral && finding.isOfNetwork && finding.knowsLinks);
    }
    void ofHostsThatDoNotReachEachOtherBothSidesAreNamed() {
        const Finding finding =
            judgedOfTen({{2, 8, true}, {2, 9, true}, {3, 8, true}, {3, 9, false}});
        QVERIFY2(finding.sentence.starts_with(
                     "process 2 (b) and process 3 (b) are cut off from process 8 (e) and process "
                     "9 (e) (4 of 45 links are down): all replicas have waited in all-reduce"),
                 finding.sentence.c_str());
        QCOMPARE(finding.processes, (Ids{2, 3, 8, 9}));
        QVERIFY(finding.isOfSeveral);
    }
    void ofManyTheNumbersAreNamed() {
        std::vector<BrokenLink> halves;
        for (std::uint32_t one = 0; one < 5; ++one)
            for (std::uint32_t other = 5; other < 10; ++other)
                halves.push_back({one, other, true});
        const std::string cut = judgedOfTen(halves).sentence;
        QVERIFY2(cut.starts_with("processes 0-4 are cut off from processes 5-9 (25 of 45 links"),
                 cut.c_str());
        const Finding ring =
            judgedOfTen({{1, 2, true}, {1, 5, true}, {2, 3, true}, {3, 4, true}, {4, 5, true}});
        QVERIFY2(ring.sentence.starts_with("5 of 45 links are down, between processes 1-5: all"),
                 ring.sentence.c_str());
        QVERIFY(ring.isOfSeveral);
    }
    void aProcessWithMoreBrokenLinksThanAnyOtherIsNamedAlone() {
        const Finding finding = judgedOfTen({{0, 1, true}, {4, 8, true}, {6, 8, true}});
        QVERIFY2(finding.sentence.starts_with("process 8 (e) is cut off from process 4 (c) and "
                                              "process 6 (d) (3 of 45 links are down): all"),
                 finding.sentence.c_str());
        QCOMPARE(finding.processes, Ids{8});
        QVERIFY(!finding.isOfSeveral);
    }
    void whereNoLinkIsBrokenThatIsSaid() {
        QCOMPARE(judgedWith({}).sentence,
                 "process 0 (a) and process 2 (c) have waited for each other in all-reduce of "
                 "bucket 2 for 12 s at step 58: each pair of processes reaches the other");
        QVERIFY(judgedWith({}, false).sentence.ends_with(
            "each pair of the 3 processes that were asked reaches the other"));
    }
    void whatWasFoundOfAnotherTroubleSaysNothing() {
        const Finding finding = judgedWith({{0, 2, true}}, true, "all-reduce 49");
        QVERIFY(finding.sentence.ends_with("the network between them may be down"));
        QVERIFY(!finding.knowsLinks);
    }
    void whoStandsStillIsNamedWhateverTheNetworkDoes() {
        const Finding finding = judgeStandstill({waiter(0, "a", 50, 1), waiter(1, "b", 50, {})},
                                                {"all-reduce 50", {{0, 1, true}}, 2, true});
        QVERIFY(finding.sentence.starts_with("process 1 (b) has not moved in all-reduce for 12 s"));
        QVERIFY(!finding.isOfNetwork && !finding.knowsLinks);
    }
    void everyCollectiveHasAName() {
        wire::ReplicaProgress progress;
        const auto nameAs = [&](wire::Collective one) {
            progress.set_collective(one);
            return collectiveName(progress);
        };
        QCOMPARE(nameAs(wire::COLLECTIVE_NONE), "all-reduce");
        QCOMPARE(nameAs(wire::COLLECTIVE_SUM), "all-reduce");
        QCOMPARE(nameAs(wire::COLLECTIVE_SHARES), "all-gather of the weights");
        QCOMPARE(nameAs(wire::COLLECTIVE_BROADCAST), "broadcast of the state");
        QCOMPARE(nameAs(wire::COLLECTIVE_GATHER), "all-gather");
        QCOMPARE(nameAs(wire::COLLECTIVE_ALL_TO_ALL), "all-to-all");
        progress.set_bucket(0);
        QCOMPARE(nameAs(wire::COLLECTIVE_SUM), "all-reduce of bucket 0");
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
