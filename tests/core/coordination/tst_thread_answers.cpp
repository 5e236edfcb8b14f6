// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/coordination/health/standstill.h"
#include "core/coordination/health/thread_answers.h"
#include "tests/core/coordination/core_stage.h"

using namespace lockstep;
using namespace lockstep::coordination;
using namespace std::chrono_literals;
using testsupport::Stage;
using testsupport::worker;

namespace {

using Ids = std::vector<std::uint32_t>;

constexpr const char* kUndecided = "; what their threads answer does not tell who stands still";

/// Three workers of three hosts in one all-reduce, 0 and 2 of which wait for each other.
struct AllWait {
    explicit AllWait(StuckRules stuck, bool tellsStacks = true) : stage(rulesWith(stuck)) {
        stage.tellsStacks = tellsStacks;
        stage.joinWorkers(3);
        stage.measureSteps(0, 5000);
    }
    static JobRules rulesWith(StuckRules stuck) {
        JobRules rules = Stage::rules(3, 0);
        rules.stuck = stuck;
        return rules;
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
                stage.beat(id, progress);
            }
            stage.pass(1s);
            ++age;
        }
    }
    void answer(std::uint32_t process, std::uint32_t deaf) {
        wire::ToCoordinator message;
        message.mutable_threads_answer()->set_deaf(deaf);
        stage.say(worker(process), std::move(message));
    }
    /// As each of them has found.
    void allReachEachOther() {
        for (std::uint32_t id = 0; id < 3; ++id) {
            wire::Record record;
            wire::LinkReport& found = *record.mutable_link_report();
            found.set_process_id(id);
            found.set_number(1);
            for (std::uint32_t other = 0; other < 3; ++other)
                if (other != id) found.add_reached(other);
            stage.write(id, record);
        }
    }
    [[nodiscard]] Ids askedForStacks() const {
        Ids asked;
        for (const auto& [connection, message] : stage.sent)
            for (std::uint32_t id = 0; id < 3; ++id)
                if (message.has_tell_stacks() && connection == userIdOf(worker(id)))
                    asked.push_back(id);
        return asked;
    }
    [[nodiscard]] std::vector<Ids> named() const {
        std::vector<Ids> all;
        for (const wire::Record& record : stage.records)
            if (record.has_verdict())
                all.emplace_back(record.verdict().processes().begin(),
                                 record.verdict().processes().end());
        return all;
    }

    Stage stage;
    float age = 12;
};

}  // namespace

/// Who stands still inside its own wait looks like those that wait for it, until they are asked.
class ThreadAnswersTest : public QObject {
    Q_OBJECT

private slots:
    void ofTwoThatWaitForEachOtherWhoseThreadsDoNotAnswerIsNamedAloneAndEndsTheJob() {
        AllWait job({StuckAction::Restart, 20s});
        job.beats(1);
        QCOMPARE(job.named(), (std::vector<Ids>{{0, 2}}));
        QCOMPARE(job.askedForStacks(), (Ids{0, 2, 1}));
        job.answer(0, 0);
        job.answer(1, 0);
        job.answer(2, 1);
        job.beats(1);
        QVERIFY2(job.stage.lastVerdict().starts_with(
                     "process 2 (hostC) has not moved in all-reduce for 13 s at step 10, and its "
                     "threads do not answer; the others wait for it there"),
                 job.stage.lastVerdict().c_str());
        QCOMPARE(job.named(), (std::vector<Ids>{{0, 2}, {2}}));
        job.beats(17);
        QVERIFY(job.stage.outcomes.empty());
        job.beats(3);  // the grace is that of the trouble, from its first verdict on
        QCOMPARE(job.stage.outcomes.size(), std::size_t(1));
        const Outcome& outcome = job.stage.outcomes.front();
        QCOMPARE(outcome.failure.process_id(), 2U);
        QVERIFY(!outcome.failure.from_outside());
        QVERIFY2(outcome.failure.cause().starts_with("has not moved in all-reduce for "),
                 outcome.failure.cause().c_str());
    }
    void whoAnswersNotAtAllIsNamedAfterAFewSeconds() {
        AllWait job({StuckAction::Wait, 0s});
        job.beats(1);
        job.answer(1, 0);
        job.answer(2, 0);
        job.beats(2);
        QCOMPARE(job.named(), (std::vector<Ids>{{0, 2}}));
        job.beats(2);
        QCOMPARE(job.named(), (std::vector<Ids>{{0, 2}, {0}}));
        job.answer(0, 0);  // late: its host has much to do
        job.beats(1);
        QCOMPARE(job.named(), (std::vector<Ids>{{0, 2}, {0}, {0, 2}}));
        QVERIFY2(job.stage.lastVerdict().ends_with(kUndecided), job.stage.lastVerdict().c_str());
    }
    void whoIsNotNamedAtFirstMayBeTheOne() {
        AllWait job({StuckAction::Wait, 0s});
        job.beats(1);
        job.answer(0, 0);
        job.answer(1, 2);
        job.answer(2, 0);
        job.beats(1);
        QCOMPARE(job.named(), (std::vector<Ids>{{0, 2}, {1}}));
    }
    void whereAllAnswerBothStayNamedAndThatNothingDecidesIsSaid() {
        AllWait job({StuckAction::Stop, 20s});
        job.beats(1);
        for (const std::uint32_t id : {0U, 1U, 2U})
            job.answer(id, 0);
        job.beats(1);
        QCOMPARE(job.stage.lastVerdict(),
                 std::string("process 0 (hostA) and process 2 (hostC) have waited for each other "
                             "in all-reduce for 13 s at step 10: the network between them may be "
                             "down") +
                     kUndecided);
        job.allReachEachOther();
        job.beats(1);
        QVERIFY2(job.stage.lastVerdict().ends_with(
                     std::string("each pair of processes reaches the other") + kUndecided),
                 job.stage.lastVerdict().c_str());
        job.beats(20);
        QCOMPARE(job.stage.outcomes.size(), std::size_t(1));
        QVERIFY(job.stage.outcomes.front().failure.from_outside());
    }
    void twoThatDoNotAnswerDecideNothing() {
        AllWait job({StuckAction::Wait, 0s});
        job.beats(1);
        job.answer(0, 1);
        job.answer(1, 0);
        job.answer(2, 1);
        job.beats(1);
        QCOMPARE(job.named().back(), (Ids{0, 2}));
        QVERIFY2(job.stage.lastVerdict().ends_with(kUndecided), job.stage.lastVerdict().c_str());
    }
    void whereNobodyAnswersNothingIsSaidOfIt() {
        for (const bool tellsStacks : {true, false}) {
            AllWait job({StuckAction::Wait, 0s}, tellsStacks);
            job.beats(8);
            QCOMPARE(job.named(), (std::vector<Ids>{{0, 2}}));
            QVERIFY(job.stage.lastVerdict().ends_with("the network between them may be down"));
        }
    }
    void anEndWithoutGraceWaitsForTheAnswersAndNotForLong() {
        for (const bool answers : {true, false}) {
            AllWait job({StuckAction::Stop, 0s});
            job.beats(1);
            QVERIFY(job.stage.outcomes.empty());
            if (answers) {
                job.answer(0, 1);
                job.answer(1, 0);
                job.answer(2, 0);
                job.beats(1);
            } else {
                job.beats(4);
            }
            QCOMPARE(job.stage.outcomes.size(), std::size_t(1));
            QCOMPARE(job.stage.outcomes.front().failure.process_id(), 0U);
            QCOMPARE(job.stage.outcomes.front().failure.from_outside(), !answers);
        }
    }
    void whoIsAskedAboutSomethingElseDoesNotCount() {
        ThreadAnswers answers;
        answers.take(1, 3);
        answers.update(90s);
        QVERIFY(answers.facts().subject.empty());
        answers.begin("x", {1}, 100s);  // with whom it could be compared is not asked
        QVERIFY(!answers.isAwaited("x"));
        answers.begin("x", {0, 1}, 100s);
        QVERIFY(answers.isAwaited("x") && !answers.isAwaited("y"));
        answers.take(7, 1);
        answers.take(0, 0);
        answers.update(103s);
        QVERIFY(answers.facts().subject.empty());
        answers.update(104s);
        QCOMPARE(answers.facts().subject, std::string("x"));
        QCOMPARE(answers.facts().held, std::optional(1U));
    }
    void aLinkThatIsBrokenSaysMoreThanAThread() {
        const std::vector<CollectiveWaiter> all{{0, 0, "a", 57, 50, 1, 12s},
                                                {1, 1, "b", 57, 50, 0, 12s}};
        const LinkFacts links{"all-reduce 50", {{0, 1, true}}, 2, true};
        const Finding cut = judgeStandstill(all, links, {"all-reduce 50", 1});
        QVERIFY2(cut.sentence.starts_with("process 0 (a) and process 1 (b) do not reach each"),
                 cut.sentence.c_str());
        QVERIFY(cut.isOfNetwork);
        const Finding held = judgeStandstill(all, {}, {"all-reduce 50", 1});
        QCOMPARE(held.processes, (Ids{1}));
        const Finding other = judgeStandstill(all, {}, {"all-reduce 49", 1});
        QCOMPARE(other.processes, (Ids{0, 1}));
    }
    void ofVeryManyNobodyIsComparedSinceNotAllAreAsked() {
        for (const std::uint32_t count : {32U, 33U}) {
            std::vector<CollectiveWaiter> all;
            for (std::uint32_t id = 0; id < count; ++id)
                all.push_back({id, id, "a", 57, 51, count - 2, 12s});
            all[count - 2] = {count - 2, count - 2, "b", 57, 50, count - 1, 12s};
            all[count - 1] = {count - 1, count - 1, "c", 57, 50, count - 2, 12s};
            const Finding finding = judgeStandstill(all);
            QCOMPARE(finding.processes, (Ids{count - 2, count - 1}));
            QCOMPARE(finding.suspects.size(), std::size_t(count == 32 ? 32 : 0));
        }
    }
    void whoWasAskedOfLateForItselfIsAskedAgainTogetherWithTheOthers() {
        StackRequests requests;
        Finding alone;
        alone.severity = kSeverityStuck;
        alone.processes = {2};
        QCOMPARE(requests.update(alone, 100s), (Ids{2}));
        QCOMPARE(requests.update(std::nullopt, 110s), Ids{});
        Finding mutual = alone;
        mutual.processes = {0, 1};
        mutual.suspects = {0, 1, 2};
        QCOMPARE(requests.update(mutual, 120s), (Ids{0, 1, 2}));
        QCOMPARE(requests.update(mutual, 121s), Ids{});  // of this trouble they are asked once
        QCOMPARE(requests.update(mutual, 190s), Ids{});
        QCOMPARE(requests.update(std::nullopt, 191s), Ids{});
        QCOMPARE(requests.update(mutual, 192s), (Ids{0, 1, 2}));
        QCOMPARE(requests.update(std::nullopt, 193s), Ids{});
        QCOMPARE(requests.update(mutual, 194s), Ids{});  // all or none
    }
};

QTEST_GUILESS_MAIN(ThreadAnswersTest)
#include "tst_thread_answers.moc"
