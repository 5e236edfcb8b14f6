// SPDX-License-Identifier: Apache-2.0
// What the figures of the epochs lead to, played without any training.
#include <QtTest>
#include <cmath>
#include <limits>

#include "core/train/replica/epoch_watch.h"

using namespace lockstep;
using namespace lockstep::train;
using config::Monitor;
using config::MonitorMode;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

config::JobSpec stoppingOn(Monitor monitor, int patience, double minDelta = 0) {
    config::JobSpec job;
    job.earlyStopping.monitor = monitor;
    job.earlyStopping.patience = patience;
    job.earlyStopping.minDelta = minDelta;
    return job;
}

SplitScore scored(double loss, double accuracy = 0) {
    return {loss * 100, accuracy * 100, 100};
}

/// Epochs of 10 steps with these validation losses.
EpochWatch::Figures epoch(int number, double validationLoss) {
    return {number, number * 10, scored(9), scored(validationLoss)};
}

/// The epoch after which the watch stops a training with these losses; 0: it goes through all.
int stoppedAt(EpochWatch& watch, const std::vector<double>& losses, int firstEpoch = 1) {
    for (std::size_t i = 0; i < losses.size(); ++i) {
        const int number = firstEpoch + static_cast<int>(i);
        std::ignore = watch.epochEnded(epoch(number, losses[i]));
        if (watch.wantsStop()) return number;
    }
    return 0;
}

int stoppedAt(const config::JobSpec& job, const std::vector<double>& losses) {
    EpochWatch watch(job, nullptr);
    return stoppedAt(watch, losses);
}

}  // namespace

class EpochWatchTest : public QObject {
    Q_OBJECT
private slots:
    void nothingIsDecidedUnlessAsked() {
        EpochWatch watch(config::JobSpec{}, nullptr);
        QVERIFY(!watch.isActive());
        QCOMPARE(stoppedAt(watch, {1, 2, 3, 4, 5, 6, 7, 8}), 0);
        QCOMPARE(watch.best().step, std::int64_t{0});
    }
    void theFirstEpochNeverEndsATraining() {
        QCOMPARE(stoppedAt(stoppingOn(Monitor::ValidationLoss, 1), {kNan, 5, 4}), 0);
        QCOMPARE(stoppedAt(stoppingOn(Monitor::ValidationLoss, 1), {kNan, kNan, 4}), 2);
    }
    void anEpochWithoutSamplesHasNoLoss() {
        QVERIFY(std::isnan(SplitScore{}.loss()));
        QVERIFY(std::isnan(SplitScore{}.accuracy()));
        QCOMPARE((SplitScore{3, 1, 2}).loss(), 1.5);
    }
    void patienceCountsEpochsInARowThatGotNoBetter() {
        const auto job = stoppingOn(Monitor::ValidationLoss, 2);
        QCOMPARE(stoppedAt(job, {5, 4, 3, 2, 1}), 0);
        QCOMPARE(stoppedAt(job, {5, 4, 4.5, 4.2, 1}), 4);
        QCOMPARE(stoppedAt(job, {5, 4, 4.5, 3, 3.5, 3.2}), 6);  // it begins anew at each better one
        QCOMPARE(stoppedAt(job, {5, 5, 5}), 3);                 // equal is no better
    }
    void patienceOfNoneStopsAtTheFirstThatIsNoBetterButNeverAtTheFirstEpoch() {
        const auto job = stoppingOn(Monitor::ValidationLoss, 0);
        QCOMPARE(stoppedAt(job, {5, 6}), 2);
        QCOMPARE(stoppedAt(job, {5, 4, 3}), 0);
    }
    void betterMeansByMoreThanTheLeastDifference() {
        const auto job = stoppingOn(Monitor::ValidationLoss, 1, 0.5);
        QCOMPARE(stoppedAt(job, {5, 4.6, 3}), 2);
        QCOMPARE(stoppedAt(job, {5, 4.4, 3.8, 3.2}), 0);
    }
    void anAccuracyIsBetterWhenItIsLarger() {
        EpochWatch watch(stoppingOn(Monitor::ValidationAccuracy, 1), nullptr);
        QVERIFY(watch.epochEnded({1, 10, {}, scored(1, 0.5)}));
        QVERIFY(watch.epochEnded({2, 20, {}, scored(2, 0.7)}));
        QVERIFY(!watch.wantsStop());
        QVERIFY(!watch.epochEnded({3, 30, {}, scored(0.1, 0.6)}));
        QVERIFY(watch.wantsStop());
        QCOMPARE(watch.best().step, std::int64_t{20});
        QCOMPARE(watch.best().value, 0.7);
    }
    void theModeTurnsTheDirection() {
        auto job = stoppingOn(Monitor::ValidationLoss, 1);
        job.earlyStopping.mode = MonitorMode::Max;
        QCOMPARE(stoppedAt(job, {1, 2, 3}), 0);
        QCOMPARE(stoppedAt(job, {3, 2}), 2);
    }
    void figuresOfTheTrainingCanBeWatched() {
        EpochWatch watch(stoppingOn(Monitor::TrainLoss, 1), nullptr);
        std::ignore = watch.epochEnded({1, 10, scored(2), scored(1)});
        std::ignore = watch.epochEnded({2, 20, scored(1), scored(9)});
        QVERIFY(!watch.wantsStop());
        QCOMPARE(watch.best().step, std::int64_t{20});
    }
    void aFigureThatIsNotANumberIsNeverBetter() {
        const auto job = stoppingOn(Monitor::ValidationLoss, 2);
        QCOMPARE(stoppedAt(job, {kNan, kNan}), 2);
        QCOMPARE(stoppedAt(job, {kNan, 5, 4}), 0);
        EpochWatch watch(job, nullptr);
        QVERIFY(!watch.epochEnded(epoch(1, kNan)));
        QVERIFY(!watch.epochEnded({2, 20, {}, SplitScore{}}));  // nothing was validated
        QCOMPARE(watch.best().step, std::int64_t{0});
        QVERIFY(watch.epochEnded(epoch(3, 7)));
    }
    void whatIsRestoredIsBetterByTheLeastDifferenceAsInKeras() {
        // EarlyStopping(min_delta=0.1, patience=3, restore_best_weights=True) of Keras 3 gives
        // back the weights of its `best`, which 0.95 and 0.91 do not beat.
        EpochWatch restores(stoppingOn(Monitor::ValidationLoss, 3, 0.1), nullptr);
        QCOMPARE(stoppedAt(restores, {1.0, 0.95, 0.91, 0.93}), 4);
        QCOMPARE(restores.best().epoch, std::int64_t{1});
        QCOMPARE(restores.best().value, 1.0);
        QCOMPARE(restores.patience().bestEpoch, std::int64_t{1});
    }
    void theBestCheckpointThatIsOnlyKeptIsTheBestEver() {
        auto job = stoppingOn(Monitor::ValidationLoss, 3, 0.1);
        job.earlyStopping.restoreBest = false;
        job.checkpoint.keepBest = true;
        EpochWatch keeps(job, nullptr);
        QCOMPARE(stoppedAt(keeps, {1.0, 0.95, 0.91, 0.93}), 4);
        QCOMPARE(keeps.best().epoch, std::int64_t{3});
        // So is one of another figure, though early stopping restores it.
        job.earlyStopping.restoreBest = true;
        job.checkpoint.monitor = Monitor::ValidationAccuracy;
        EpochWatch other(job, nullptr);
        for (int number = 1; number <= 3; ++number)
            std::ignore =
                other.epochEnded({number, number * 10, scored(9), scored(1, 0.5 + 0.01 * number)});
        QCOMPARE(other.best().epoch, std::int64_t{3});
    }
    void theBestIsKeptWithoutEarlyStoppingToo() {
        config::JobSpec job;
        job.checkpoint.keepBest = true;
        EpochWatch watch(job, nullptr);
        QVERIFY(watch.isActive());
        QCOMPARE(stoppedAt(watch, {5, 4, 6, 7, 8, 9, 10, 11}), 0);
        QCOMPARE(watch.best().step, std::int64_t{20});
    }
    void aResumedRunDecidesAsAnUndisturbedOne() {
        const auto job = stoppingOn(Monitor::ValidationLoss, 3, 0.1);
        const std::vector<double> losses{5, 3, 3.2, 2.95, 2.99, 4, 4, 4, 4};
        EpochWatch whole(job, nullptr);
        const int expected = stoppedAt(whole, losses);
        QCOMPARE(expected, 5);
        for (std::size_t cut = 1; cut < 5; ++cut) {
            EpochWatch before(job, nullptr);
            const std::vector<double> first(losses.begin(),
                                            losses.begin() + static_cast<std::ptrdiff_t>(cut));
            const std::vector<double> rest(losses.begin() + static_cast<std::ptrdiff_t>(cut),
                                           losses.end());
            QCOMPARE(stoppedAt(before, first), 0);
            checkpoint::TrainingState state;
            state.best = before.best();
            state.patience = before.patience();
            EpochWatch after(job, &state);
            QCOMPARE(stoppedAt(after, rest, static_cast<int>(cut) + 1), expected);
            QCOMPARE(after.best(), whole.best());
            QCOMPARE(after.patience(), whole.patience());
        }
    }
    void countersOfAnotherFigureBeginAnew() {
        EpochWatch before(stoppingOn(Monitor::ValidationLoss, 3), nullptr);
        std::ignore = stoppedAt(before, {0.1, 2, 2});
        checkpoint::TrainingState state;
        state.best = before.best();
        state.patience = before.patience();
        EpochWatch after(stoppingOn(Monitor::ValidationAccuracy, 3), &state);
        QCOMPARE(after.patience().epochsWaited, std::int64_t{0});
        QVERIFY(after.epochEnded({4, 40, {}, scored(1, 0.05)}));
    }
    void moreEpochsOfPatienceGoOnWhereItHadStopped() {
        EpochWatch before(stoppingOn(Monitor::ValidationLoss, 1), nullptr);
        QCOMPARE(stoppedAt(before, {1, 2}), 2);
        checkpoint::TrainingState state;
        state.patience = before.patience();
        QVERIFY(EpochWatch(stoppingOn(Monitor::ValidationLoss, 1), &state).wantsStop());
        QVERIFY(!EpochWatch(stoppingOn(Monitor::ValidationLoss, 2), &state).wantsStop());
    }
    void theSentenceSaysWhatWasWatchedAndWhenItWasBest() {
        EpochWatch watch(stoppingOn(Monitor::ValidationLoss, 2), nullptr);
        QCOMPARE(stoppedAt(watch, {1, 0.25, 0.5, 0.75}), 4);
        QCOMPARE(
            watch.stopSentence(),
            std::string("validation_loss has not got better for 2 epochs; its best was 0.25 in "
                        "epoch 2"));
    }
};

QTEST_GUILESS_MAIN(EpochWatchTest)
#include "tst_epoch_watch.moc"
