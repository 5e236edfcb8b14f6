// SPDX-License-Identifier: Apache-2.0
// A run that meets the same failure again and again comes no further by another start.
#include <QtTest>

#include "core/run/repeated_failure.h"

using namespace lockstep;
using namespace lockstep::run;

namespace {

wire::Failure failure(const std::string& cause, std::uint64_t trainedTo,
                      std::uint32_t process = 1) {
    wire::Failure one;
    one.set_process_id(process);
    one.set_cause(cause);
    one.set_trained_to(trainedTo);
    return one;
}

wire::Failure killed(std::uint64_t trainedTo) {
    wire::Failure one = failure("was killed by signal 9 (SIGKILL)", trainedTo);
    one.set_from_outside(true);
    return one;
}

const std::string kNan = "the loss became nan at step 103 on replica 1; the step was not applied";

}  // namespace

class RepeatedFailureTest : public QObject {
    Q_OBJECT
private slots:
    void threeTimesTheSameWithoutAStepOfProgressAreARepetition() {
        const std::vector<wire::Failure> failures(3, failure(kNan, 102));
        QVERIFY(repeatsItself(failures, false));
        QVERIFY(!repeatsItself(std::span(failures).first(2), false));
        QCOMPARE(repetitionText(failures),
                 "3 times the same after step 102, without a step of progress: " + kNan);
    }
    void numbersMakeNoOtherCause() {
        QVERIFY(
            repeatsItself(std::vector{failure("has been in its update for 12 s at step 7", 6, 1),
                                      failure("has been in its update for 12.5 s at step 7", 6, 2),
                                      failure("has been in its update for 9.5 s at step 6", 5, 1)},
                          false));
        QVERIFY(repeatsItself(std::vector{failure("the loss became nan at step 3", 2),
                                          failure("the loss became -inf at step 3", 2),
                                          failure("the loss became -nan at step 3", 2)},
                              false));
    }
    void aStepThatNoStartHadCompletedIsProgress() {
        QVERIFY(!repeatsItself(
            std::vector{failure(kNan, 102), failure(kNan, 102), failure(kNan, 103)}, false));
        QVERIFY(!repeatsItself(
            std::vector{failure(kNan, 102), failure(kNan, 140), failure(kNan, 102)}, false));
        // Then it is counted from there.
        QVERIFY(repeatsItself(std::vector{failure(kNan, 102), failure(kNan, 140),
                                          failure(kNan, 102), failure(kNan, 139)},
                              false));
    }
    void stepsThatAreTrainedAgainAreNone() {
        // Far came the run once, before it failed of something else.
        QVERIFY(repeatsItself(
            std::vector{killed(900), failure(kNan, 102), failure(kNan, 150), failure(kNan, 899)},
            false));
    }
    void anotherCauseInBetweenBeginsTheCountAnew() {
        const wire::Failure other = failure("was killed by signal 11 (SIGSEGV)", 102);
        QVERIFY(!repeatsItself(
            std::vector{failure(kNan, 102), failure(kNan, 102), other, failure(kNan, 102)}, false));
        QVERIFY(!repeatsItself(std::vector{failure(kNan, 102), failure("killed by signal (A)", 102),
                                           failure("killed by signal (B)", 102)},
                               false));
    }
    void whatComesFromOutsideIsNeverARepetition() {
        QVERIFY(!repeatsItself(std::vector<wire::Failure>(200, killed(0)), false));
        QVERIFY(!repeatsItself(
            std::vector{failure(kNan, 102), failure(kNan, 102), killed(102), failure(kNan, 102)},
            false));
    }
    void startsThatWalkBackToOlderCheckpointsAreNone() {
        std::vector<wire::Failure> failures(3, failure(kNan, 102));
        failures[0].set_suspect_checkpoint(100);
        failures[1].set_suspect_checkpoint(90);
        failures[2].set_suspect_checkpoint(80);
        QVERIFY(!repeatsItself(failures, false));
        failures[0].clear_suspect_checkpoint();  // a start that came by itself to its end
        QVERIFY(!repeatsItself(failures, false));
        failures[1].clear_suspect_checkpoint();
        QVERIFY(repeatsItself(failures, false));
    }
    void whoHasNotComeToAnyStepIsToldSo() {
        const std::vector<wire::Failure> failures(3, failure("cannot open data", 0));
        QVERIFY(repeatsItself(failures, false));
        QCOMPARE(repetitionText(failures),
                 std::string("3 times the same before the first step: cannot open data"));
    }
    void nobodyKnowsHowFarAProgramComesThatReportsNoSteps() {
        QVERIFY(!repeatsItself(std::vector<wire::Failure>(5, failure("exited with status 1", 0)),
                               true));
        QVERIFY(
            repeatsItself(std::vector<wire::Failure>(3, failure("exited with status 1", 8)), true));
    }
    void restartsThatWereLeftAreToldBesideWhatToDo() {
        QCOMPARE(repetitionRemedy("Lower training.learning_rate.", 18),
                 std::string("Lower training.learning_rate.\n"
                             "Once that is mended, --resume goes on from the newest checkpoint.\n"
                             "launch.max_restarts was not used up (18 left): another start would "
                             "have met the same."));
        QCOMPARE(repetitionRemedy("", 0),
                 std::string("Once that is mended, --resume goes on from the newest checkpoint."));
    }
};

QTEST_GUILESS_MAIN(RepeatedFailureTest)
#include "tst_repeated_failure.moc"
