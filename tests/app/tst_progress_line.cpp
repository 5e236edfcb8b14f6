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

    void howFastAndHowLongStillIsReadToItsEndInAHundredColumns() {
        for (const auto state : {job::RunState::Training, job::RunState::Validating}) {
            job::RunView view = training(123'456, 1'000'000);
            view.state = state;
            view.stepsPerEpoch = 10'000;
            view.epochs = 100;
            view.samplesPerSecond = 123'456;
            view.etaSeconds = 45'296;
            job::ReplicaView replica;
            replica.step = view.step;
            replica.loss = 0.1234F;
            replica.accuracy = 0.9876F;
            view.replicas = {replica, replica};
            const std::string line = barLine(view, 99);  // the last column stays free
            QVERIFY2(line.size() <= 99, line.c_str());
            const std::string end = "  123.5 k samples/s  12 h 34 m left";
            QVERIFY2(line.size() > end.size() &&
                         line.compare(line.size() - end.size(), end.size(), end) == 0,
                     line.c_str());
            QVERIFY2(line.find("step 123456/1000000") != std::string::npos, line.c_str());
        }
        // A usual run has its scores, too.
        job::RunView view = training(500, 940);
        view.samplesPerSecond = 8'123;
        view.etaSeconds = 12;
        job::ReplicaView replica;
        replica.step = 500;
        replica.loss = 0.25F;
        replica.accuracy = 0.5F;
        view.replicas = {replica};
        QCOMPARE(barLine(view, 99),
                 std::string("training   [####----]  53 %  step 500/940  loss 0.250"
                             "  accuracy 0.500  8123 samples/s  12 s left"));
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
