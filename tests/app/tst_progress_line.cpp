// SPDX-License-Identifier: Apache-2.0
// The line that a terminal shows of a run.
#include <QtTest>

#include "app/terminal/progress_printer.h"

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

}  // namespace

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
