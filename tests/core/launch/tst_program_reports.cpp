// SPDX-License-Identifier: Apache-2.0
// What becomes of the reports of programs that anybody may have written.
#include <QtTest>
#include <cmath>
#include <limits>

#include "core/base/rng.h"
#include "core/launch/program/program_reports.h"
#include "core/wire/codec.h"

using namespace lockstep;
using namespace lockstep::launch;
using namespace std::chrono_literals;

namespace {

constexpr double kWall = 1.8e9;

wire::ProgramReport stepsFrom(std::uint64_t first, std::initializer_list<float> losses) {
    wire::ProgramReport report;
    report.mutable_steps()->set_first_step(first);
    report.mutable_steps()->set_first_end_wall_time(kWall);
    for (const float loss : losses)
        report.mutable_steps()->add_loss(loss);
    return report;
}

std::string bytesOf(const wire::ProgramReport& report) {
    return *wire::encode(report);
}

struct Program {
    ProgramReports reports;
    explicit Program(bool chief = true) : reports(chief ? 0 : 3, chief) {}
    Result<std::optional<wire::Record>> take(const wire::ProgramReport& report, Nanos now = 1s) {
        return reports.take(bytesOf(report), now, kWall);
    }
};

}  // namespace

class ProgramReportsTest : public QObject {
    Q_OBJECT
private slots:
    void lossesAloneMakeACompleteBatchOfTheSendersReplica() {
        Program program(false);
        const auto record = program.take(stepsFrom(5, {2, 1}));
        QVERIFY(record && *record);
        const wire::StepBatch& steps = (*record)->steps();
        QCOMPARE(steps.replica(), 3U);
        QCOMPARE(steps.step_us_size(), 2);
        QCOMPARE(steps.all_reduce_us_size(), 2);
        QVERIFY(std::isnan(steps.accuracy(1)));
        QCOMPARE(program.reports.progress(1s).step(), std::uint64_t{6});
    }

    void batchesThatMakeNoSenseAreRefused_data() {
        QTest::addColumn<QByteArray>("bytes");
        const auto row = [](const char* name, const wire::ProgramReport& report) {
            QTest::newRow(name) << QByteArray::fromStdString(bytesOf(report));
        };
        row("step 0", stepsFrom(0, {1}));
        row("no steps", stepsFrom(1, {}));
        row("a step that no run has", stepsFrom(std::uint64_t{1} << 60, {1}));
        wire::ProgramReport uneven = stepsFrom(1, {1, 2});
        uneven.mutable_steps()->add_accuracy(0.5F);
        row("columns of unequal lengths", uneven);
        wire::ProgramReport many;
        many.mutable_steps()->set_first_step(1);
        for (int i = 0; i < 5000; ++i)
            many.mutable_steps()->add_loss(1);
        row("too many at once", many);
        row("nothing", wire::ProgramReport());
        wire::ProgramReport epoch;
        epoch.mutable_epoch()->set_train_loss(1);
        row("epoch 0", epoch);
        wire::ProgramReport split;
        split.mutable_evaluation()->set_split("training");
        row("a split that is not scored", split);
        QTest::newRow("no message") << QByteArray("\xff\xff\xff", 3);
        wire::ProgramReport foreign = stepsFrom(1, {1});
        foreign.set_protocol(99);
        QTest::newRow("another protocol") << QByteArray::fromStdString(foreign.SerializeAsString());
    }
    void batchesThatMakeNoSenseAreRefused() {
        QFETCH(QByteArray, bytes);
        Program program;
        const auto taken = program.reports.take(bytes.toStdString(), 1s, kWall);
        QVERIFY(!taken);
        QCOMPARE(program.reports.progress(1s).step(), std::uint64_t{0});
    }

    void timesThatNoStepTakesBecomeZeroAndClocksThatAreWrongAreCorrected() {
        Program program;
        wire::ProgramReport report = stepsFrom(1, {1, 1});
        report.mutable_steps()->set_first_end_wall_time(12);
        for (const float time : {std::numeric_limits<float>::infinity(), 2e6F})
            report.mutable_steps()->add_step_us(time);
        for (const float time : {-1.0F, std::numeric_limits<float>::quiet_NaN()})
            report.mutable_steps()->add_data_us(time);
        const auto record = program.take(report);
        QVERIFY(record && *record);
        const wire::StepBatch& steps = (*record)->steps();
        QCOMPARE(steps.step_us(0), 0.0F);
        QCOMPARE(steps.data_us(0) + steps.data_us(1), 0.0F);
        QCOMPARE(steps.first_end_wall_time(), kWall - 2);
    }

    void silenceCountsFromTheLastChange() {
        Program program;
        QCOMPARE(program.reports.progress(100s).phase(), wire::PHASE_PROGRAM);
        QCOMPARE(program.reports.progress(100s).phase_seconds(), 0.0F);
        QVERIFY(program.take(stepsFrom(1, {1}), 10s));
        wire::ProgramReport same;
        same.mutable_progress()->set_step(1);
        same.mutable_progress()->set_phase(wire::PHASE_PROGRAM);
        QVERIFY(program.take(same, 15s));  // a heartbeat that says nothing new
        QCOMPARE(program.reports.progress(16s).phase_seconds(), 6.0F);
        same.mutable_progress()->set_phase(wire::PHASE_EVALUATE);
        QVERIFY(program.take(same, 20s));
        QCOMPARE(program.reports.progress(21s).phase(), wire::PHASE_EVALUATE);
        QCOMPARE(program.reports.progress(21s).phase_seconds(), 1.0F);
    }

    void stepsNeverGoBackInProgress() {
        Program program;
        QVERIFY(program.take(stepsFrom(10, {1})));
        wire::ProgramReport older;
        older.mutable_progress()->set_step(3);
        QVERIFY(program.take(older));
        QCOMPARE(program.reports.progress(1s).step(), std::uint64_t{10});
    }

    void onlyProcess0SpeaksForTheRun() {
        wire::ProgramReport epoch;
        epoch.mutable_epoch()->set_epoch(2);
        epoch.mutable_epoch()->set_train_loss(0.5);
        Program other(false);
        const auto passedOver = other.take(epoch);
        QVERIFY(passedOver && !*passedOver);
        Program chief;
        QVERIFY(chief.take(stepsFrom(7, {1})));
        const auto record = chief.take(epoch);
        QVERIFY(record && *record);
        QCOMPARE((*record)->epoch().step(), std::uint64_t{7});  // where the program is
        QCOMPARE(chief.reports.results().epochs, 2U);
        QCOMPARE(chief.reports.results().trainLoss, 0.5);
    }

    void anEvaluationKeepsItsScoresAndNothingThatReadersIndexBy() {
        Program program;
        wire::ProgramReport report;
        wire::Evaluation& evaluation = *report.mutable_evaluation();
        evaluation.set_split("test");
        evaluation.set_accuracy(0.75);
        evaluation.add_confusion(1);
        evaluation.add_samples()->set_truth(4'000'000);
        const auto record = program.take(report);
        QVERIFY(record && *record);
        QCOMPARE((*record)->evaluation().accuracy(), 0.75);
        QCOMPARE((*record)->evaluation().confusion_size(), 0);
        QCOMPARE((*record)->evaluation().samples_size(), 0);
        QCOMPARE(program.reports.results().testAccuracy, 0.75);
    }

    void theFirstStepSaysWhereAProgramBeginsUnlessItsPlanDoes() {
        Program planless;
        QVERIFY(!planless.reports.hasBegun());
        QVERIFY(planless.take(stepsFrom(31, {1})));
        QCOMPARE(planless.reports.plan().first_step(), std::uint64_t{30});
        Program planned;
        wire::ProgramReport plan;
        plan.mutable_plan()->set_total_steps(100);
        plan.mutable_plan()->set_first_step(20);
        QVERIFY(planned.take(plan));
        QVERIFY(planned.take(stepsFrom(21, {1})));
        QCOMPARE(planned.reports.plan().first_step(), std::uint64_t{20});
        QCOMPARE(planned.reports.plan().total_steps(), std::uint64_t{100});
    }

    void noBytesWhateverDoHarm() {
        Program program;
        const std::string valid = bytesOf(stepsFrom(1, {1, 2, 3}));
        CounterRng rng(7, 7);
        for (int i = 0; i < 20000; ++i) {
            std::string bytes = valid;
            for (int flips = 0; flips < 3; ++flips)
                bytes[rng.nextU32() % bytes.size()] = static_cast<char>(rng.nextU32());
            const auto record = program.reports.take(bytes, 1s, kWall);
            if (!record || !*record || !(*record)->has_steps()) continue;
            const wire::StepBatch& steps = (*record)->steps();
            QVERIFY(steps.loss_size() > 0 && steps.step_us_size() == steps.loss_size());
        }
    }
};

QTEST_GUILESS_MAIN(ProgramReportsTest)
#include "tst_program_reports.moc"
