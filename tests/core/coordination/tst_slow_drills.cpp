// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <array>

#include "tests/core/coordination/drill_stage.h"

using namespace lockstep;
using namespace lockstep::coordination;
using namespace lockstep::testsupport;
using namespace std::chrono_literals;

/// Who is slowed down on purpose, and what was said before that.
class SlowDrillsTest : public QObject {
    Q_OBJECT

private slots:
    void aSlowProcessIsNamedWithItsPriceAndKeepsUpAgain() {
        Stage stage(2);
        stage.joinWorkers(2);
        std::uint64_t step = 0;
        const auto train = [&](int seconds, float milliseconds) {
            for (int i = 0; i < 10 * seconds; ++i) {
                ++step;
                for (const std::uint32_t process : {0U, 1U})
                    stage.beat(process, wire::PHASE_BACKWARD, 0.01, step);
                sayTimes(stage, 0, step, 90, 100);
                sayTimes(stage, 1, step, milliseconds, 100);
                stage.pass(100ms);
            }
        };
        train(15, 90);
        QCOMPARE(stage.lastVerdict(), std::string("none"));
        stage.core().drill(orderOf(wire::DRILL_KIND_SLOW, 1, 40), stage.at());
        sayOfDrill(stage, 1, wire::DRILL_PHASE_INFLICTED, step);
        train(19, 95);
        QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_LANDED);  // 5 % are no trouble
        train(14, 120);
        QVERIFY2(stage.lastVerdict().starts_with("process 1 (hostB) costs the others 30 %: its "
                                                 "backward pass takes 120 ms, the others' 90 ms"),
                 stage.lastVerdict().c_str());
        const auto verdict = std::ranges::find_if(
            stage.records, [](const wire::Record& record) { return record.has_verdict(); });
        QCOMPARE(verdict->verdict().processes_size(), 1);
        QVERIFY(verdict->verdict().slow());
        // To an older window a fourth severity is a lost replica.
        QCOMPARE(verdict->verdict().severity(), 0U);
        train(14, 90);
        QCOMPARE(stage.lastVerdict(), std::string());
        const wire::Drill drill = lastDrill(stage);
        QVERIFY2(drill.named_process() && drill.named_kind(), drill.detected_sentence().c_str());
        std::vector<std::string> said;
        for (const wire::Record& record : stage.records)
            if (record.has_log()) said.push_back(record.log().text());
        QCOMPARE(said.size(), std::size_t(2));
        QVERIFY(said[0].starts_with("process 1 (hostB) costs the others 30 %"));
        QVERIFY(said[1].starts_with("process 1 (hostB) keeps up again at step "));
        endByKill(stage, 0);
        QCOMPARE(stage.outcomes[0].stragglers.told.size(), std::size_t(1));
    }

    void besideOneThatIsSlowAnotherIsFound() {
        Stage stage(4);
        stage.joinWorkers(4);
        std::uint64_t step = 0;
        const auto train = [&stage, &step](int seconds, std::array<float, 4> milliseconds) {
            for (int i = 0; i < 10 * seconds; ++i) {
                ++step;
                for (const std::uint32_t process : {0U, 1U, 2U, 3U}) {
                    stage.beat(process, wire::PHASE_BACKWARD, 0.01, step);
                    sayTimes(stage, process, step, milliseconds[process], 100);
                }
                stage.pass(100ms);
            }
        };
        train(20, {40, 90, 40, 40});
        QVERIFY2(stage.lastVerdict().starts_with("process 1 "), stage.lastVerdict().c_str());
        stage.core().drill(orderOf(wire::DRILL_KIND_SLOW, 1, 40, "again"), stage.at());
        stage.pass(100ms);
        QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_REFUSED);
        QVERIFY2(lastDrill(stage).sentence().starts_with("process 1 is called slow already"),
                 lastDrill(stage).sentence().c_str());
        stage.core().drill(orderOf(wire::DRILL_KIND_SLOW, 2, 40), stage.at());
        sayOfDrill(stage, 2, wire::DRILL_PHASE_INFLICTED, step);
        train(12, {40, 90, 40, 40});
        QCOMPARE(lastDrill(stage).phase(), wire::DRILL_PHASE_LANDED);  // told again: not of it
        train(20, {40, 90, 90, 40});
        const wire::Drill drill = lastDrill(stage);
        QVERIFY2(drill.named_process() && drill.named_kind(), drill.detected_sentence().c_str());
    }

    void aVerdictThatStoodBeforeIsNotWhatFoundTheFault() {
        JobRules rules = Stage::rules(2, 0);
        rules.heartbeatTimeout = 60s;
        Stage stage(rules);
        stage.joinWorkers(2);
        const auto onlyOneBeats = [&stage](int seconds) {
            for (int second = 0; second < seconds; ++second) {
                stage.beat(1, wire::PHASE_FORWARD, 0.1, 5);
                stage.pass(1s);
            }
        };
        stage.beat(0, wire::PHASE_FORWARD, 0.1, 5);
        onlyOneBeats(4);
        const std::string before = stage.lastVerdict();
        QVERIFY2(before.find("process 0") != std::string::npos, before.c_str());
        stage.core().drill(orderOf(wire::DRILL_KIND_SLOW, 1, 30), stage.at());
        sayOfDrill(stage, 1, wire::DRILL_PHASE_INFLICTED, 5);
        onlyOneBeats(15);
        QVERIFY(stage.lastVerdict() != before);  // told again, and older
        QVERIFY2(lastDrill(stage).phase() == wire::DRILL_PHASE_LANDED,
                 lastDrill(stage).sentence().c_str());
    }
};

QTEST_APPLESS_MAIN(SlowDrillsTest)
#include "tst_slow_drills.moc"
