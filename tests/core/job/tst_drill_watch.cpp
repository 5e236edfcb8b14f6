// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/coordination/state/drill_refusals.h"
#include "core/job/fold/drill_watch.h"
#include "core/job/fold/run_fold.h"

using namespace lockstep;
using namespace lockstep::job;

namespace {

using State = DrillWatch::State;
namespace refusals = coordination::refusals;

RunView trainingView(const std::string& settings = {}) {
    RunView view;
    view.runDir = "/run";
    view.state = RunState::Training;
    view.connected = true;
    view.backend = "gloo";
    view.jobToml =
        "[job]\nname = \"a\"\n[cluster]\njob_addresses = [\"127.0.0.1:0\", \"127.0.0.1:0\"]\n" +
        settings;
    return view;
}

DrillOrder orderOf(DrillKind kind, int process = 0) {
    return {.id = "a", .kind = kind, .processId = process, .seconds = hasLength(kind) ? 2.0 : 0};
}

DrillView drillOf(DrillView::Phase phase) {
    DrillView drill;
    drill.order = orderOf(DrillKind::Kill, 1);
    drill.phase = phase;
    drill.sentence = "what became of it";
    drill.orderedWallTime = 10;
    return drill;
}

}  // namespace

class DrillWatchTest : public QObject {
    Q_OBJECT
private slots:
    void everyKindHasAConsequenceAndAPolicy() {
        for (const std::string& word : drillWords()) {
            const DrillKind kind = *drillKindOf(word);
            QVERIFY2(consequenceOf(kind).ends_with('.'), word.c_str());
            QVERIFY2(policyOf(orderOf(kind), trainingView()).ends_with('.'), word.c_str());
        }
    }

    void whatCannotBeHereIsRefusedInTheRunsOwnWords() {
        const RunView plain = trainingView();
        QCOMPARE(refusalOf(orderOf(DrillKind::Kill), plain), std::string());
        QCOMPARE(refusalOf(orderOf(DrillKind::Kill, 2), plain), refusals::noProcess(2, 2));
        RunView shared = plain;
        shared.backend = "shm";
        QCOMPARE(refusalOf(orderOf(DrillKind::Cut), plain), std::string());
        QCOMPARE(refusalOf(orderOf(DrillKind::Cut), shared), std::string(refusals::kNothingToCut));
        QCOMPARE(refusalOf(orderOf(DrillKind::TornCheckpoint), plain),
                 std::string(refusals::kNoRestart));
        const RunView restarts = trainingView("[launch]\nmax_restarts = 1\n");
        QCOMPARE(refusalOf(orderOf(DrillKind::TornCheckpoint), restarts),
                 refusals::tooFewCheckpoints("/run/checkpoints", 0));
        const RunView unguarded = trainingView("[training]\nidentity_every_steps = 0\n");
        QCOMPARE(refusalOf(orderOf(DrillKind::BitFlip), unguarded),
                 std::string(refusals::kNoIdentity));
        RunView busy = plain;
        busy.drills.push_back(drillOf(DrillView::Phase::Landed));
        QCOMPARE(refusalOf(orderOf(DrillKind::Nan), busy),
                 refusals::underWay(wire::DRILL_KIND_KILL, 1));
        RunView over = plain;
        over.exitStatus = 0;
        QCOMPARE(refusalOf(orderOf(DrillKind::Kill), over), std::string("the run is over"));
    }

    void whatTheJobLeavesToDoIsCounted() {
        const DrillOrder kill = orderOf(DrillKind::Kill);
        QVERIFY(policyOf(kill, trainingView()).find("leaves no restart") != std::string::npos);
        RunView restarts = trainingView("[launch]\nmax_restarts = 3\non_failure = \"regroup\"\n");
        restarts.generation = 1;
        QVERIFY(
            policyOf(kill, restarts).find("newest step: launch.max_restarts leaves 2 restarts") !=
            std::string::npos);
        // What it has seen may be in what it kept.
        QVERIFY(policyOf(orderOf(DrillKind::BitFlip), restarts).find("newest checkpoint") !=
                std::string::npos);
        const RunView stops = trainingView("[launch]\nmax_restarts = 3\non_failure = \"stop\"\n");
        QVERIFY(policyOf(kill, stops).find("\"stop\"") != std::string::npos);
    }

    void whoIsSlowIsKeptWithTheStepAtWhichItWasNamedFirst() {
        RunFold fold("/run");
        const auto say = [&fold](const std::string& sentence, std::uint32_t process) {
            wire::Record record;
            record.set_wall_time(10);
            wire::Verdict& verdict = *record.mutable_verdict();
            verdict.set_sentence(sentence);
            verdict.set_slow(!sentence.empty());
            if (!sentence.empty()) verdict.add_processes(process);
            fold.apply(record);
        };
        say("process 1 costs the others 18 %", 1);
        say("process 1 costs the others 19 %", 1);
        say("", 0);
        say("process 1 costs the others 20 %", 1);
        say("process 2 costs the others 20 %", 2);
        fold.tick(11);
        const auto view = fold.view();
        QCOMPARE(view->verdicts.size(), std::size_t(3));
        QCOMPARE(view->verdicts[0].sentence, std::string("process 1 costs the others 18 %"));
        QCOMPARE(view->verdicts[2].processes, std::vector<int>{2});
    }

    void whoIsSilentOrStuckIsKeptOnceAndWhoIsLostIsAFailure() {
        RunFold fold("/run");
        const auto say = [&fold](double time, std::uint32_t severity, const std::string& sentence) {
            wire::Record record;
            record.set_wall_time(time);
            wire::Verdict& verdict = *record.mutable_verdict();
            verdict.set_sentence(sentence);
            verdict.set_severity(severity);
            verdict.add_processes(1);
            fold.apply(record);
        };
        say(10, 1, "process 1 sent no heartbeat for 2 s");
        say(11, 1, "process 1 sent no heartbeat for 3 s");
        say(12, 2, "process 1 is stuck");
        say(13, 3, "process 1 is lost");
        say(14, 0, "");
        say(15, 1, "process 1 sent no heartbeat for 2 s");
        fold.tick(16);
        const auto view = fold.view();
        QCOMPARE(view->verdicts.size(), std::size_t(3));
        QCOMPARE(view->verdicts[0].wallTime, 10.0);
        QCOMPARE(view->verdicts[1].severity, 2);
        QCOMPARE(view->verdicts[2].wallTime, 15.0);
        QCOMPARE(view->verdictsLeftOut, std::size_t(0));
    }

    void silencesTakeNoRoomOfWhatIsWorse() {
        RunFold fold("/run");
        const auto say = [&fold](double time, std::uint32_t severity, const std::string& sentence) {
            wire::Record record;
            record.set_wall_time(time);
            wire::Verdict& verdict = *record.mutable_verdict();
            verdict.set_sentence(sentence);
            verdict.set_severity(severity);
            verdict.add_processes(1);
            fold.apply(record);
        };
        say(1, 2, "process 1 is stuck");
        for (int i = 0; i < 250; ++i) {
            say(10 + i, 1, "process 1 sent no heartbeat for 2 s");
            say(10.5 + i, 0, "");
        }
        say(300, 2, "process 1 is stuck");
        fold.tick(301);
        const auto view = fold.view();
        QCOMPARE(view->verdicts.size(), std::size_t(200));
        QCOMPARE(view->verdicts.front().wallTime, 1.0);
        QCOMPARE(view->verdicts[1].wallTime, 62.0);  // the oldest silences made way
        QCOMPARE(view->verdicts.back().wallTime, 300.0);
        QCOMPARE(view->verdictsLeftOut, std::size_t(52));
    }

    void itAsksUntilTheRunHasHeardAndThenFollows() {
        RunView view = trainingView();
        DrillWatch watch(orderOf(DrillKind::Kill, 1), Nanos(0));
        QVERIFY(watch.takeAsk(Nanos(0)));
        QVERIFY(!watch.takeAsk(Nanos(1)));
        QVERIFY(watch.takeAsk(DrillWatch::kAskAgain));
        view.drills.push_back(drillOf(DrillView::Phase::Ordered));
        watch.look(view, toNanos(3));
        QVERIFY(watch.state() == State::UnderWay);
        QVERIFY(!watch.takeAsk(toNanos(10)));
        view.drills.back().phase = DrillView::Phase::Recovered;
        watch.look(view, toNanos(11));
        QVERIFY(watch.state() == State::Over && watch.sentence().empty());
    }

    void whatIsNotTakenOrNotOverInTimeIsSaid() {
        const RunView silent = trainingView();
        DrillWatch unheard(orderOf(DrillKind::Kill), Nanos(0));
        unheard.look(silent, DrillWatch::kAnswerPatience);
        QVERIFY(unheard.state() == State::Asked);
        unheard.look(silent, DrillWatch::kAnswerPatience + Nanos(1));
        QVERIFY(unheard.state() == State::NotTaken);
        QVERIFY(unheard.sentence().find("does not answer") != std::string::npos);

        RunView view = trainingView();
        view.drills.push_back(drillOf(DrillView::Phase::Refused));
        DrillWatch refused(orderOf(DrillKind::Kill, 1), Nanos(0));
        refused.look(view, Nanos(1));
        QVERIFY(refused.state() == State::NotTaken);
        QCOMPARE(refused.sentence(), std::string("what became of it"));

        view.drills.back().phase = DrillView::Phase::Landed;
        DrillWatch late(orderOf(DrillKind::Kill, 1), Nanos(0), 5);
        late.look(view, toNanos(6));
        QVERIFY(late.state() == State::Late);
        QCOMPARE(late.sentence(), std::string("after 5 s it is not over: what became of it"));
    }
};

QTEST_GUILESS_MAIN(DrillWatchTest)
#include "tst_drill_watch.moc"
