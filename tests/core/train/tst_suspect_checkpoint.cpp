// SPDX-License-Identifier: Apache-2.0
// Which checkpoint may be to blame for a loss that is not a number.
#include <QtTest>

#include "core/train/checkpoints/suspect_checkpoint.h"
#include "core/train/replica/training_plan.h"

using namespace lockstep;
using namespace lockstep::train;

class SuspectCheckpointTest : public QObject {
    Q_OBJECT
private slots:
    void whatComesBeforeTheNextCheckpointMayBeOfTheOneThatWasLoaded() {
        const CheckpointOrigin origin{.step = 100, .interval = 50};
        QCOMPARE(suspectCheckpoint(origin, 100), std::uint64_t{100});
        QCOMPARE(suspectCheckpoint(origin, 150), std::uint64_t{100});
        QCOMPARE(suspectCheckpoint(origin, 151), std::uint64_t{0});
    }
    void tenStepsAreSoonHoweverOftenCheckpointsCome() {
        const CheckpointOrigin origin{.step = 100, .interval = 1};
        QCOMPARE(suspectCheckpoint(origin, 110), std::uint64_t{100});
        QCOMPARE(suspectCheckpoint(origin, 111), std::uint64_t{0});
    }
    void whatBeganAnewHasNone() {
        QCOMPARE(suspectCheckpoint({.step = 0, .interval = 50}, 3), std::uint64_t{0});
        QCOMPARE(suspectCheckpoint({}, 3), std::uint64_t{0});
    }
    void theIntervalIsThatOfWhateverComesMoreOften() {
        TrainingPlan plan;
        plan.stepsPerEpoch = 40;
        plan.checkpointEveryEpochs = 2;
        QCOMPARE(plan.checkpointInterval(), std::int64_t{80});
        plan.checkpointEverySteps = 50;
        QCOMPARE(plan.checkpointInterval(), std::int64_t{50});
        plan.checkpointEveryEpochs = 1;
        QCOMPARE(plan.checkpointInterval(), std::int64_t{40});
        plan.checkpointEveryEpochs = 0;
        QCOMPARE(plan.checkpointInterval(), std::int64_t{50});
    }
};

QTEST_GUILESS_MAIN(SuspectCheckpointTest)
#include "tst_suspect_checkpoint.moc"
