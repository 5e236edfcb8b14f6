// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <tuple>

#include "core/base/rng.h"
#include "core/coordination/exchange/scoring_ledger.h"

using namespace lockstep;
using namespace lockstep::coordination;
using Kind = ScoringLedger::Work::Kind;
using Steps = std::vector<std::int64_t>;

namespace {

constexpr ProcessKey kFirst{wire::ROLE_EVALUATOR, 0};
constexpr ProcessKey kSecond{wire::ROLE_EVALUATOR, 1};

Steps stepsOf(const std::vector<ScoringLedger::GivenUp>& givenUp) {
    Steps steps;
    for (const auto& one : givenUp)
        steps.push_back(one.step);
    return steps;
}

/// A ledger whose chief has begun with nothing.
ScoringLedger begun(const ScoringRules& rules) {
    ScoringLedger ledger(rules);
    std::ignore = ledger.begin(0, {}, {});
    return ledger;
}

}  // namespace

class ScoringLedgerTest : public QObject {
    Q_OBJECT

    static Steps offerAll(ScoringLedger& ledger, const Steps& steps, Nanos now = 1s) {
        Steps givenUp;
        for (const std::int64_t step : steps)
            for (const std::int64_t gone : stepsOf(ledger.offer(step, now)))
                givenUp.push_back(gone);
        return givenUp;
    }

private slots:
    void checkpointsAreHandedOutInOrderAndOnce() {
        ScoringLedger ledger = begun({});
        QCOMPARE(offerAll(ledger, {10, 20, 30}), Steps{});
        QCOMPARE(ledger.next(kFirst, 2s).step, std::int64_t{10});
        QCOMPARE(ledger.next(kSecond, 2s).step, std::int64_t{20});
        QCOMPARE(ledger.next(kFirst, 3s).step, std::int64_t{10});  // the question was repeated
        QCOMPARE(ledger.spared(), (Steps{10, 20, 30}));
        ledger.done(kFirst, 10, true, 4s);
        QCOMPARE(ledger.next(kFirst, 4s).step, std::int64_t{30});
        QCOMPARE(ledger.spared(), (Steps{20, 30}));
        QCOMPARE(offerAll(ledger, {10, 20, 30}), Steps{});  // repeated: known already
        QCOMPARE(ledger.spared(), (Steps{20, 30}));
    }
    void beyondTheLimitTheOldestIsGivenUpWithBothFigures() {
        ScoringLedger ledger = begun({.mostWaiting = 2});
        QVERIFY(ledger.offer(1, 10s).empty());
        QCOMPARE(ledger.next(kFirst, 10s).step, std::int64_t{1});
        ledger.done(kFirst, 1, true, Nanos(Millis(14'100)));
        QVERIFY(ledger.offer(2, Nanos(Millis(11'200))).empty());
        QVERIFY(ledger.offer(3, Nanos(Millis(12'400))).empty());
        const auto givenUp = ledger.offer(4, Nanos(Millis(13'600)));
        QCOMPARE(stepsOf(givenUp), Steps{2});
        QCOMPARE(givenUp[0].why,
                 std::string("evaluation takes 4.1 s, checkpoints come every 1.2 s"));
        QCOMPARE(ledger.spared(), (Steps{3, 4}));
    }
    void withoutAnEvaluationTheReasonSaysWhatIsKnown() {
        ScoringLedger ledger = begun({.mostWaiting = 1});
        QVERIFY(ledger.offer(1, 1s).empty());
        QCOMPARE(ledger.offer(2, 3s)[0].why,
                 std::string("no evaluator has asked for a checkpoint yet, checkpoints come every "
                             "2.0 s"));
        QCOMPARE(ledger.next(kFirst, 3s).step, std::int64_t{2});
        QVERIFY(ledger.offer(3, 5s).empty());
        QCOMPARE(ledger.offer(4, 7s)[0].why,
                 std::string("the first evaluation has taken 4.0 s so far, checkpoints come every "
                             "2.0 s"));
    }
    void whatIsBeingScoredIsNeverGivenUp() {
        ScoringLedger ledger = begun({.mostWaiting = 1});
        QVERIFY(ledger.offer(1, 1s).empty());
        QCOMPARE(ledger.next(kFirst, 1s).step, std::int64_t{1});
        QCOMPARE(offerAll(ledger, {2, 3, 4}), (Steps{2, 3}));
        QCOMPARE(ledger.spared(), (Steps{1, 4}));
        ledger.done(kFirst, 1, true, 9s);
        QCOMPARE(ledger.tally().scored, std::size_t{1});
        QCOMPARE(ledger.tally().notScored, (Steps{2, 3, 4}));
    }
    void theLatestPolicyPassesOverAllButTheNewest() {
        ScoringLedger ledger = begun({.newestOnly = true, .mostWaiting = 100});
        QVERIFY(ledger.offer(1, 1s).empty());
        const auto givenUp = ledger.offer(2, 2s);
        QCOMPARE(stepsOf(givenUp), Steps{1});
        QCOMPARE(givenUp[0].why,
                 std::string("evaluator.policy is \"latest\", and the checkpoint of step 2 is "
                             "newer"));
        QCOMPARE(ledger.next(kFirst, 2s).step, std::int64_t{2});
        QVERIFY(ledger.offer(3, 3s).empty());
        QCOMPARE(stepsOf(ledger.lose(kFirst, 4s)), Steps{2});  // a newer one waits
        QCOMPARE(ledger.next(kSecond, 4s).step, std::int64_t{3});
    }
    void theWorkOfOneThatIsLostGoesToAnother() {
        ScoringLedger ledger = begun({});
        offerAll(ledger, {1, 2, 3});
        QCOMPARE(ledger.next(kFirst, 1s).step, std::int64_t{1});
        QCOMPARE(ledger.next(kSecond, 1s).step, std::int64_t{2});
        QVERIFY(ledger.lose(kFirst, 2s).empty());
        ledger.done(kFirst, 1, true, 3s);  // said too late
        ledger.done(kSecond, 2, true, 3s);
        QCOMPARE(ledger.next(kSecond, 3s).step, std::int64_t{1});
        QCOMPARE(ledger.tally().scored, std::size_t{1});
    }
    void withoutAnEvaluatorWhatWaitsAndWhatComesIsNamed() {
        ScoringLedger ledger = begun({});
        offerAll(ledger, {1, 2});
        QCOMPARE(stepsOf(ledger.closeAll("gone")), (Steps{1, 2}));
        QVERIFY(ledger.spared().empty());
        QCOMPARE(stepsOf(ledger.offer(3, 3s)), Steps{3});
        ledger.reopen();
        QVERIFY(ledger.offer(4, 4s).empty());
        QCOMPARE(ledger.next(kFirst, 4s).step, std::int64_t{4});
    }
    void theTestDataFollowOnceAndEvaluatorsStayWhileOneMayBeLost() {
        ScoringLedger ledger = begun({});
        offerAll(ledger, {1});
        QCOMPARE(ledger.next(kFirst, 1s).step, std::int64_t{1});
        QVERIFY(ledger.next(kSecond, 1s).kind == Kind::None);
        ledger.endTraining();
        QVERIFY(ledger.next(kSecond, 2s).kind == Kind::Test);
        QVERIFY(ledger.lose(kSecond, 2s).empty());
        ledger.done(kFirst, 1, true, 3s);
        QVERIFY(ledger.next(kFirst, 3s).kind == Kind::Test);
        QVERIFY(ledger.next(kSecond, 3s).kind == Kind::None);
        ledger.tested(kFirst);
        QVERIFY(ledger.next(kFirst, 4s).kind == Kind::Over);
        QVERIFY(ledger.next(kSecond, 4s).kind == Kind::Over);
    }
    void aResumeOffersWhatLiesThereAndForgetsWhatIsTrainedAgain() {
        ScoringLedger ledger = begun({});
        offerAll(ledger, {10, 20, 30, 40});
        for (const std::int64_t step : {10, 20, 30}) {
            QCOMPARE(ledger.next(kFirst, 1s).step, step);
            ledger.done(kFirst, step, true, 2s);
        }
        QCOMPARE(ledger.next(kFirst, 2s).step, std::int64_t{40});
        ledger.beginGeneration();
        QVERIFY(ledger.next(kFirst, 3s).kind == Kind::None);  // its chief has not begun
        QVERIFY(ledger.begin(20, {10, 20}, {5}).empty());     // both have scores
        QVERIFY(ledger.next(kFirst, 3s).kind == Kind::None);
        QCOMPARE(ledger.testedSteps(), (std::set<std::int64_t>{5}));
        QCOMPARE(ledger.tally().scored, std::size_t{2});
        QVERIFY(ledger.offer(30, 4s).empty());
        QCOMPARE(ledger.next(kFirst, 4s).step, std::int64_t{30});
        ledger.beginGeneration();
        QVERIFY(ledger.begin(20, {}, {}).empty());  // as its chief says it: none is without a score
        QCOMPARE(ledger.tally().scored, std::size_t{2});
    }
    void oneThatCouldNotBeReadIsNotScored() {
        ScoringLedger ledger = begun({});
        offerAll(ledger, {1});
        std::ignore = ledger.next(kFirst, 1s);
        ledger.done(kFirst, 1, false, 2s);
        QCOMPARE(ledger.tally().scored, std::size_t{0});
        QCOMPARE(ledger.tally().notScored, Steps{1});
        QVERIFY(ledger.next(kFirst, 2s).kind == Kind::None);
    }
    /// Whatever happens, each checkpoint is scored or named, and none both.
    void everyCheckpointIsEitherScoredOrNamed() {
        for (std::uint64_t seed = 0; seed < 300; ++seed) {
            CounterRng rng(seed, 5);
            ScoringLedger ledger =
                begun({.newestOnly = rng.nextBelow(3) == 0, .mostWaiting = 1 + rng.nextBelow(4)});
            std::set<std::int64_t> scored;
            std::multiset<std::int64_t> named;
            const auto name = [&named](const std::vector<ScoringLedger::GivenUp>& givenUp) {
                for (const auto& one : givenUp)
                    named.insert(one.step);
            };
            std::int64_t step = 0;
            for (int turn = 0; turn < 200; ++turn) {
                const ProcessKey who{wire::ROLE_EVALUATOR, rng.nextBelow(3)};
                const Nanos now = std::chrono::seconds(turn);
                switch (rng.nextBelow(4)) {
                    case 0:
                        name(ledger.offer(++step, now));
                        break;
                    case 1:
                        if (rng.nextBelow(4) == 0) name(ledger.lose(who, now));
                        break;
                    default:
                        if (const auto work = ledger.next(who, now);
                            work.kind == Kind::Checkpoint && rng.nextBelow(2) == 0) {
                            QVERIFY(scored.insert(work.step).second);
                            ledger.done(who, work.step, true, now);
                        }
                }
            }
            name(ledger.closeAll("over"));
            QCOMPARE(scored.size() + named.size(), static_cast<std::size_t>(step));
            for (const std::int64_t one : named)
                QVERIFY(!scored.contains(one) && named.count(one) == 1);
            QCOMPARE(ledger.tally().scored, scored.size());
            QCOMPARE(ledger.tally().notScored, Steps(named.begin(), named.end()));
        }
    }
};

QTEST_GUILESS_MAIN(ScoringLedgerTest)
#include "tst_scoring_ledger.moc"
