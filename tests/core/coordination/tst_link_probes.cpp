// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <map>
#include <numeric>

#include "core/coordination/health/link_probes.h"
#include "tests/core/coordination/core_stage.h"

using namespace lockstep;
using namespace lockstep::coordination;
using namespace std::chrono_literals;
using testsupport::Stage;
using testsupport::worker;

namespace {

using Ids = std::vector<std::uint32_t>;

Finding ofNetwork(std::string subject, Ids processes = {}) {
    Finding finding;
    finding.severity = kSeverityStuck;
    finding.subject = std::move(subject);
    finding.processes = std::move(processes);
    finding.isOfNetwork = true;
    return finding;
}

wire::LinkReport report(std::uint32_t process, std::uint32_t number, const Ids& reached,
                        const Ids& unreached) {
    wire::LinkReport found;
    found.set_process_id(process);
    found.set_number(number);
    found.mutable_reached()->Add(reached.begin(), reached.end());
    found.mutable_unreached()->Add(unreached.begin(), unreached.end());
    return found;
}

/// Three workers of three hosts in the sum of a bucket, 0 and 2 of which wait for each other.
struct StuckInNetwork {
    explicit StuckInNetwork(const JobRules& rules) : stage(rules) {
        stage.joinWorkers(3);
        stage.measureSteps(0, 5000);
    }
    void beats(int seconds) {
        for (int second = 0; second < seconds; ++second) {
            const std::uint32_t awaited[] = {2, 0, 0};
            for (std::uint32_t id = 0; id < 3; ++id) {
                wire::ReplicaProgress progress;
                progress.set_step(9);
                progress.set_phase(wire::PHASE_ALL_REDUCE);
                progress.set_phase_seconds(age);
                progress.set_collective_points(id == 1 ? 51 : 50);
                progress.set_awaited_replica(awaited[id]);
                progress.set_collective(wire::COLLECTIVE_SUM);
                progress.set_bucket(3);
                stage.beat(id, progress);
            }
            stage.pass(1s);
            ++age;
        }
    }
    void tell(const wire::LinkReport& found) {
        wire::Record record;
        *record.mutable_link_report() = found;
        stage.write(found.process_id(), record);
    }
    /// Whom the coordinator has asked, and what.
    [[nodiscard]] std::vector<std::pair<std::string, wire::ProbeLinks>> asked() const {
        std::vector<std::pair<std::string, wire::ProbeLinks>> found;
        for (const auto& [connection, message] : stage.sent)
            if (message.has_probe_links()) found.emplace_back(connection, message.probe_links());
        return found;
    }

    Stage stage;
    float age = 12;
};

JobRules rulesWith(StuckRules stuck) {
    JobRules rules = Stage::rules(3, 0);
    rules.stuck = stuck;
    return rules;
}

}  // namespace

class LinkProbesTest : public QObject {
    Q_OBJECT
private slots:
    void onlyWhereNobodyIsKnownToStandStillIsAnybodyAsked() {
        LinkProbes probes;
        Finding stuck = ofNetwork("stuck 1");
        stuck.isOfNetwork = false;
        QVERIFY(!probes.update(stuck, {0, 1}, 100s));
        QVERIFY(!probes.update(std::nullopt, {0, 1}, 100s));
        QVERIFY(!probes.update(ofNetwork("all-reduce 5"), {0}, 100s));
        QVERIFY(probes.update(ofNetwork("all-reduce 5"), {0, 1}, 100s));
    }
    void aTroubleIsAskedAboutOnceAndAnotherOneNotSoon() {
        LinkProbes probes;
        QCOMPARE(probes.update(ofNetwork("all-reduce 5"), {0, 1}, 100s)->number(), 1U);
        QVERIFY(!probes.update(ofNetwork("all-reduce 5"), {0, 1}, 300s));
        QCOMPARE(probes.update(ofNetwork("all-reduce 6"), {0, 1}, 300s)->number(), 2U);
        QVERIFY(!probes.update(ofNetwork("all-reduce 7"), {0, 1}, 359s));
        QVERIFY(probes.update(ofNetwork("all-reduce 7"), {0, 1}, 360s));
    }
    void ofVeryManyThoseWhoAreNamedAreAskedFirst() {
        Ids workers(100);
        std::iota(workers.begin(), workers.end(), 0);
        LinkProbes probes;
        const auto question = probes.update(ofNetwork("x", {98, 7}), workers, 100s);
        QCOMPARE(question->processes_size(), static_cast<int>(LinkProbes::kMostAsked));
        QCOMPARE(question->processes(31), 98U);
        QCOMPARE(question->processes(30), 30U);
    }
    void whatAllHaveFoundIsKnownAtOnce() {
        LinkProbes probes;
        const Finding finding = ofNetwork("x");
        std::ignore = probes.update(finding, {0, 1, 2}, 100s);
        probes.take(0, report(0, 1, {1}, {2}));
        probes.take(1, report(1, 1, {0, 2}, {}));
        std::ignore = probes.update(finding, {0, 1, 2}, 101s);
        QVERIFY(probes.facts().subject.empty());
        probes.take(2, report(2, 1, {1}, {0}));
        std::ignore = probes.update(finding, {0, 1, 2}, 102s);
        QCOMPARE(probes.facts().subject, "x");
        QCOMPARE(probes.facts().broken, (std::vector<BrokenLink>{{0, 2, true}}));
    }
    void whoDoesNotAnswerIsWaitedForNotForLong() {
        LinkProbes probes;
        const Finding finding = ofNetwork("x");
        std::ignore = probes.update(finding, {0, 1, 2}, 100s);
        probes.take(0, report(0, 1, {1}, {2}));
        std::ignore = probes.update(finding, {0, 1, 2}, 109s);
        QVERIFY(probes.facts().subject.empty());
        std::ignore = probes.update(finding, {0, 1, 2}, 110s);
        QCOMPARE(probes.facts().broken, (std::vector<BrokenLink>{{0, 2, true}}));
    }
    void whereAPairWasNotTriedNobodySaysThatAllReachEachOther() {
        LinkProbes probes;
        const Finding finding = ofNetwork("x");
        std::ignore = probes.update(finding, {0, 1, 2}, 100s);
        probes.take(0, report(0, 1, {1, 2}, {}));
        std::ignore = probes.update(finding, {0, 1, 2}, 110s);
        QVERIFY(probes.facts().subject.empty());
        std::ignore = probes.update(ofNetwork("y"), {0, 1, 2}, 200s);
        probes.take(0, report(0, 2, {1, 2}, {}));
        probes.take(1, report(1, 2, {2}, {}));
        std::ignore = probes.update(ofNetwork("y"), {0, 1, 2}, 210s);
        QCOMPARE(probes.facts().subject, "y");
        QVERIFY(probes.facts().broken.empty());
    }
    void answersToAnotherQuestionAndOfStrangersDoNotCount() {
        LinkProbes probes;
        const Finding finding = ofNetwork("x");
        std::ignore = probes.update(finding, {0, 1}, 100s);
        probes.take(0, report(0, 7, {}, {1}));
        probes.take(5, report(5, 1, {}, {1}));
        probes.take(1, report(1, 1, {0}, {5}));
        probes.take(0, report(0, 1, {}, {1, 0}));
        std::ignore = probes.update(finding, {0, 1}, 101s);
        QCOMPARE(probes.facts().broken, (std::vector<BrokenLink>{{0, 1, false}}));
    }

    void aCutIsNamedOnceItsEndsHaveTriedEachOtherAndTheGraceGoesOn() {
        StuckInNetwork job(rulesWith({StuckAction::Stop, 20s}));
        job.beats(1);
        QCOMPARE(job.stage.lastVerdict(),
                 "process 0 (hostA) and process 2 (hostC) have waited for each other in all-reduce "
                 "of bucket 3 for 12 s at step 10: the network between them may be down");
        const auto asked = job.asked();
        QCOMPARE(asked.size(), std::size_t(3));
        QCOMPARE(asked[2].first, userIdOf(worker(2)));
        QCOMPARE(asked[2].second.processes_size(), 3);
        job.beats(2);
        job.tell(report(0, asked[0].second.number(), {1}, {2}));
        job.tell(report(1, asked[0].second.number(), {0, 2}, {}));
        job.tell(report(2, asked[0].second.number(), {1}, {0}));
        job.beats(1);
        QVERIFY2(job.stage.lastVerdict().starts_with(
                     "process 0 (hostA) and process 2 (hostC) do not reach each other: all "
                     "replicas have waited in all-reduce of bucket 3 for 1"),
                 job.stage.lastVerdict().c_str());
        QCOMPARE(std::ranges::count_if(job.stage.records, &wire::Record::has_link_report), 3);
        job.beats(15);
        QVERIFY(job.stage.outcomes.empty());
        job.beats(2);
        QCOMPARE(job.stage.outcomes.size(), std::size_t(1));
        const Outcome& outcome = job.stage.outcomes.front();
        QCOMPARE(outcome.failure.process_id(), 0U);
        QVERIFY(outcome.failure.from_outside());
        QVERIFY2(outcome.failure.cause().starts_with("it and process 2 (hostC) do not reach each "
                                                     "other: all replicas have waited in "),
                 outcome.failure.cause().c_str());
        QCOMPARE(job.asked().size(), std::size_t(3));
    }
    void whereNoProcessHasMostBrokenLinksTheEndIsChargedToNone() {
        StuckInNetwork job(rulesWith({StuckAction::Restart, 20s}));
        job.beats(1);
        const std::uint32_t number = job.asked().front().second.number();
        job.tell(report(0, number, {}, {1, 2}));
        job.tell(report(1, number, {}, {0, 2}));
        job.tell(report(2, number, {}, {0, 1}));
        job.beats(1);
        const std::string verdict = job.stage.lastVerdict();
        QVERIFY2(verdict.starts_with("3 of 3 links are down, between processes 0-2: all replicas"),
                 verdict.c_str());
        job.beats(20);
        QCOMPARE(job.stage.outcomes.size(), std::size_t(1));
        const Outcome& outcome = job.stage.outcomes.front();
        QVERIFY(outcome.failure.role() == wire::ROLE_AGENT);
        QVERIFY2(outcome.failure.cause().starts_with("3 of 3 links are down, between"),
                 outcome.failure.cause().c_str());
        QVERIFY(outcome.failure.from_outside() && !outcome.isFinal);
        QVERIFY2(outcome.remedy.find("logs/") == std::string::npos, outcome.remedy.c_str());
        for (const auto& [connection, message] : job.stage.sent)
            if (message.has_abort()) QCOMPARE(message.abort().process_id(), JobState::kNobody);
    }
    void whereAllReachEachOtherThatIsSaidAndTheJobGoesOnWaiting() {
        StuckInNetwork job(rulesWith({StuckAction::Wait, 0s}));
        job.beats(1);
        for (const auto& [id, others] : std::map<std::uint32_t, Ids>{{0, {1, 2}}, {1, {0, 2}}})
            job.tell(report(id, 1, others, {}));
        job.tell(report(2, 1, {0, 1}, {}));
        job.beats(1);
        QVERIFY2(job.stage.lastVerdict().ends_with("each pair of processes reaches the other"),
                 job.stage.lastVerdict().c_str());
        job.beats(60);
        QVERIFY(job.stage.outcomes.empty());
    }
    void nobodyTellsOfAnothersLinks() {
        StuckInNetwork job(rulesWith({StuckAction::Wait, 0s}));
        job.beats(1);
        wire::Record record;
        *record.mutable_link_report() = report(1, 1, {}, {2});
        job.stage.write(0, record);
        QCOMPARE(std::ranges::count_if(job.stage.records, &wire::Record::has_link_report), 0);
    }
    void whoIsStuckIsToldWithTheCollectiveInWhichTheOthersWait() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.measureSteps(0, 5000);
        wire::ReplicaProgress waits;
        waits.set_phase(wire::PHASE_ALL_REDUCE);
        waits.set_phase_seconds(14);
        waits.set_collective(wire::COLLECTIVE_SHARES);
        stage.beat(0, waits);
        stage.beat(1, wire::PHASE_UPDATE, 14, 0);
        stage.pass(100ms);
        QCOMPARE(stage.lastVerdict(),
                 "process 1 (hostB) has been in update for 14 s at step 1; the others wait for it "
                 "in all-gather of the weights");
    }
    void aStateThatIsNotHandedOutIsAStandstillToo() {
        Stage stage(2);
        stage.joinWorkers(2);
        const auto beats = [&stage](float seconds) {
            for (const std::uint32_t id : {0U, 1U}) {
                wire::ReplicaProgress waits;
                waits.set_phase(wire::PHASE_WAITING);
                waits.set_phase_seconds(seconds);
                waits.set_collective(wire::COLLECTIVE_BROADCAST);
                waits.set_awaited_replica(1 - id);
                stage.beat(id, waits);
            }
            stage.pass(100ms);
        };
        beats(299);
        QCOMPARE(stage.lastVerdict(), "none");
        beats(300);
        QVERIFY2(stage.lastVerdict().starts_with("process 0 (hostA) and process 1 (hostB) have "
                                                 "waited for each other in broadcast of the state "
                                                 "for 300 s"),
                 stage.lastVerdict().c_str());
    }
};

QTEST_GUILESS_MAIN(LinkProbesTest)
#include "tst_link_probes.moc"
