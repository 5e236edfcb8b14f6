// SPDX-License-Identifier: Apache-2.0
// The line that a terminal shows of a run.
#include <QtTest>

#include "app/terminal/progress_text.h"
#include "app/terminal/untold_epochs.h"

using namespace lockstep;
using namespace lockstep::app;

namespace {

job::RunView training(std::int64_t step, std::int64_t totalSteps) {
    job::RunView view;
    view.state = job::RunState::Training;
    view.step = step;
    view.totalSteps = totalSteps;
    return view;
}

job::RunView scored(job::RunView view, float loss, double samplesPerSecond, double etaSeconds) {
    job::ReplicaView replica;
    replica.step = view.step;
    replica.loss = loss;
    replica.accuracy = 0.9876F;
    view.replicas = {replica, replica};
    view.samplesPerSecond = samplesPerSecond;
    view.etaSeconds = etaSeconds;
    return view;
}

/// Of a hundred epochs.
job::RunView longRun(std::int64_t step, std::int64_t totalSteps, double etaSeconds) {
    job::RunView view = scored(training(step, totalSteps), 0.1234F, 123'456, etaSeconds);
    view.stepsPerEpoch = totalSteps / 100;
    view.epochs = 100;
    return view;
}

}  // namespace

Q_DECLARE_METATYPE(lockstep::job::RunView)

class ProgressLineTest : public QObject {
    Q_OBJECT
private slots:
    void theBarGrowsWithTheSteps() {
        QCOMPARE(barLine(training(5, 10), 200),
                 std::string("training   [############------------]  50 %  step 5/10"));
        QCOMPARE(barLine(training(0, 10), 200),
                 std::string("training   [------------------------]   0 %  step 0/10"));
    }

    void moreStepsThanWerePlannedFillTheBar() {
        QCOMPARE(barLine(training(12, 10), 200),
                 std::string("training   [########################] 100 %  step 12/10"));
        for (std::size_t width = 0; width < 80; ++width)
            QVERIFY(!barLine(training(1'000'000, 1), width).empty());
    }

    void howFastAndHowLongStillIsReadToItsEndInAHundredColumns() {
        for (const auto state : {job::RunState::Training, job::RunState::Validating}) {
            job::RunView view = longRun(123'456, 1'000'000, 45'296);
            view.state = state;
            const std::string line = barLine(view, 99);  // the last column stays free
            QVERIFY2(line.size() <= 99, line.c_str());
            QVERIFY2(line.ends_with("  123.5 k samples/s  12 h 34 m left"), line.c_str());
            QVERIFY2(line.find("step 123456/1000000") != std::string::npos, line.c_str());
        }
    }

    void whatMattersLessGivesWayFirst_data() {
        QTest::addColumn<job::RunView>("view");
        QTest::addColumn<int>("columns");
        QTest::addColumn<QString>("line");
        const auto row = [](const char* run, const job::RunView& view, int columns,
                            const char* line) {
            QTest::addRow("%s, %d columns", run, columns) << view << columns << QString(line);
        };
        const job::RunView usual = scored(training(500, 940), 0.25F, 8'123, 12);
        row("usual", usual, 60, "step 500/940  loss 0.250  8123 samples/s  12 s left");
        row("usual", usual, 80,
            "training  53 %  step 500/940  loss 0.250  8123 samples/s  12 s left");
        row("usual", usual, 100,
            "training   [####----]  53 %  step 500/940  loss 0.250  accuracy 0.988"
            "  8123 samples/s  12 s left");
        row("usual", usual, 200,
            "training   [############------------]  53 %  step 500/940  loss 0.250"
            "  accuracy 0.988  8123 samples/s  12 s left");

        const job::RunView million = longRun(123'456, 1'000'000, 45'296);
        row("million", million, 60, "step 123456  loss 0.123  123.5 k samples/s  12 h 34 m left");
        row("million", million, 80,
            "training  step 123456/1000000  loss 0.123  123.5 k samples/s  12 h 34 m left");
        row("million", million, 100,
            "training  12 %  epoch 13/100  step 123456/1000000  loss 0.123  123.5 k samples/s"
            "  12 h 34 m left");
        row("million", million, 200,
            "training   [##----------------------]  12 %  epoch 13/100  step 123456/1000000"
            "  loss 0.123  accuracy 0.988  123.5 k samples/s  12 h 34 m left");

        const job::RunView billion = longRun(999'999'999, 1'000'000'000, 45'296);
        row("billion", billion, 60, "step 999999999  loss 0.123  123.5 k/s  12 h 34 m left");
        row("billion", billion, 80,
            "step 999999999/1000000000  loss 0.123  123.5 k samples/s  12 h 34 m left");
        row("billion", billion, 100,
            "training  100 %  step 999999999/1000000000  loss 0.123  123.5 k samples/s"
            "  12 h 34 m left");
        row("billion", billion, 200,
            "training   [#######################-] 100 %  epoch 100/100"
            "  step 999999999/1000000000  loss 0.123  accuracy 0.988  123.5 k samples/s"
            "  12 h 34 m left");

        job::RunView scoring = billion;
        scoring.state = job::RunState::Validating;
        row("validating", scoring, 60, "step 999999999  loss 0.123  123.5 k/s  12 h 34 m left");
        row("validating", scoring, 80,
            "validating  step 999999999  loss 0.123  123.5 k samples/s  12 h 34 m left");
        row("validating", scoring, 100,
            "validating  100 %  step 999999999/1000000000  loss 0.123  123.5 k samples/s"
            "  12 h 34 m left");

        // Nobody has said how many steps there are.
        const job::RunView open = scored(training(1'000'000'000, 0), 0.1234F, 123'456, -1);
        row("open", open, 60, "training  step 1000000000  loss 0.123  123.5 k samples/s");
        row("open", open, 80,
            "training   step 1000000000  loss 0.123  accuracy 0.988  123.5 k samples/s");
        row("open", open, 200,
            "training   step 1000000000  loss 0.123  accuracy 0.988  123.5 k samples/s");
    }
    void whatMattersLessGivesWayFirst() {
        QFETCH(job::RunView, view);
        QFETCH(int, columns);
        QFETCH(QString, line);
        // The last column stays free.
        const std::string shown = barLine(view, static_cast<std::size_t>(columns - 1));
        QCOMPARE(QString::fromStdString(shown), line);
        QVERIFY(shown.size() < static_cast<std::size_t>(columns));
    }

    /// Of every size, and in every state.
    void stepLossSpeedAndWhatIsLeftAreReadInEightyColumns() {
        for (std::int64_t steps = 10; steps <= 1'000'000'000; steps *= 10) {
            for (const double speed : {0.4, 9'999.0, 123'456.0, 9'999'999.0, 1e9}) {
                for (const double eta : {9.0, 3'599.0, 86'399.0, 1e9}) {
                    for (int state = 0; state <= int(job::RunState::Stopped); ++state) {
                        job::RunView view = longRun(steps - 1, steps, eta);
                        view.replicas[0].loss = view.replicas[1].loss = 98'765.43F;
                        view.samplesPerSecond = speed;
                        view.state = job::RunState(state);
                        const std::string line = barLine(view, 79);
                        QVERIFY2(line.size() <= 79, line.c_str());
                        for (const std::string& part :
                             {"step " + std::to_string(steps - 1), std::string("loss 98765."),
                              std::string(" samples/s  "), durationText(eta) + " left"})
                            QVERIFY2(line.find(part) != std::string::npos, line.c_str());
                    }
                }
            }
        }
    }

    void aSlowNetworkAndALostOneAreSaidInFewDigits() {
        const auto lineOf = [](float loss, double samplesPerSecond) {
            return progressText(scored(training(5, 0), loss, samplesPerSecond, -1));
        };
        QCOMPARE(lineOf(0.25F, 0.42),
                 std::string("step 5  loss 0.250  accuracy 0.988  0.4 samples/s"));
        QCOMPARE(lineOf(2.5e30F, 42),
                 std::string("step 5  loss 2.5e+30  accuracy 0.988  42 samples/s"));
    }

    void whatTakesDaysIsSaidInDays() {
        QCOMPARE(durationText(12), std::string("12 s"));
        QCOMPARE(durationText(185), std::string("3 m 05 s"));
        QCOMPARE(durationText(86'399), std::string("23 h 59 m"));
        QCOMPARE(durationText(97'200), std::string("1 d 03 h"));
    }

    void anEpochThatAFormerStartEndedWithinIsToldOnce() {
        const auto epoch = [](int number, std::int64_t step) {
            job::EpochView result;
            result.epoch = number;
            result.step = step;
            return result;
        };
        UntoldEpochs epochs;
        job::RunView view = training(50, 50);
        view.stepsPerEpoch = 38;
        view.epochResults = {epoch(1, 38), epoch(2, 50)};
        QVERIFY(epochs.take(view).empty());  // history: the second start is not known yet
        view.totalSteps = 90;
        view.firstStep = 50;
        view.caughtUp = true;
        const auto told = [&] {
            std::vector<std::int64_t> steps;
            for (const job::EpochView& each : epochs.take(view))
                steps.push_back(each.step);
            return steps;
        };
        QCOMPARE(told(), std::vector<std::int64_t>{38});
        view.epochResults = {epoch(1, 38), epoch(2, 76)};
        QCOMPARE(told(), std::vector<std::int64_t>{76});
        view.epochResults.push_back(epoch(3, 90));  // the last one, whole or not
        QCOMPARE(told(), std::vector<std::int64_t>{90});
        QVERIFY(told().empty());
    }
};

QTEST_GUILESS_MAIN(ProgressLineTest)
#include "tst_progress_line.moc"
