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
};

QTEST_GUILESS_MAIN(ProgressLineTest)
#include "tst_progress_line.moc"
