// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <utility>

#include "core/train/replica/training_plan.h"

using namespace lockstep;
using namespace lockstep::train;

namespace {

config::JobSpec job(int epochs, std::int64_t everySteps, int everyEpochs) {
    config::JobSpec spec;
    spec.training.epochs = epochs;
    spec.checkpoint.everySteps = everySteps;
    spec.checkpoint.everyEpochs = everyEpochs;
    return spec;
}

std::vector<std::int64_t> checkpointsOf(const TrainingPlan& plan) {
    std::vector<std::int64_t> steps;
    for (std::int64_t step = 1; step <= plan.totalSteps; ++step)
        if (plan.wantsCheckpoint(step)) steps.push_back(step);
    return steps;
}

}  // namespace

class TrainingPlanTest : public QObject {
    Q_OBJECT
private slots:
    void stepsAreCountedOverAllEpochs() {
        const auto plan = TrainingPlan::make(job(3, 0, 0), 10, 7);
        QCOMPARE(plan.totalSteps, std::int64_t{30});
        QCOMPARE(plan.firstStep, std::int64_t{0});
        QCOMPARE(plan.seed, std::uint64_t{7});
    }
    void anEpochEndsWithItsLastStep() {
        const auto plan = TrainingPlan::make(job(3, 0, 0), 10, 7);
        QCOMPARE(plan.epochOf(1), 1);
        QCOMPARE(plan.epochOf(10), 1);
        QVERIFY(plan.endsEpoch(10));
        QVERIFY(!plan.endsEpoch(11));
        QCOMPARE(plan.epochOf(11), 2);
        QCOMPARE(plan.epochOf(30), 3);
    }
    void withoutAWishACheckpointIsWrittenEveryEpoch() {
        const auto plan = TrainingPlan::make(job(3, 0, 0), 10, 7);
        QCOMPARE(checkpointsOf(plan), (std::vector<std::int64_t>{10, 20, 30}));
    }
    void checkpointsBySteps() {
        const auto plan = TrainingPlan::make(job(2, 8, 0), 10, 7);
        QCOMPARE(checkpointsOf(plan), (std::vector<std::int64_t>{8, 16, 20}));
    }
    void checkpointsByEpochs() {
        const auto plan = TrainingPlan::make(job(5, 0, 2), 4, 7);
        QCOMPARE(checkpointsOf(plan), (std::vector<std::int64_t>{8, 16, 20}));
    }
    void bothWishesTogetherAreBothKept() {
        const auto plan = TrainingPlan::make(job(2, 8, 1), 10, 7);
        QCOMPARE(checkpointsOf(plan), (std::vector<std::int64_t>{8, 10, 16, 20}));
    }
    void theLastStepIsAlwaysKept() {
        const auto plan = TrainingPlan::make(job(1, 1000, 0), 10, 7);
        QCOMPARE(checkpointsOf(plan), (std::vector<std::int64_t>{10}));
    }
    void theNextCheckpointIsTheFirstThatIsWanted() {
        auto bySteps = job(3, 8, 0);
        bySteps.training.steps = 29;
        for (const auto& [spec, steps] :
             {std::pair{job(5, 0, 2), 4}, std::pair{job(2, 8, 1), 10},
              std::pair{job(1, 1000, 0), 10}, std::pair{bySteps, 7}, std::pair{job(3, 0, 0), 10}}) {
            const auto plan = TrainingPlan::make(spec, steps, 7);
            const auto wanted = checkpointsOf(plan);
            for (std::int64_t step = 0; step <= plan.totalSteps; ++step) {
                const auto next = std::ranges::upper_bound(wanted, step);
                QCOMPARE(plan.nextCheckpoint(step), next == wanted.end() ? 0 : *next);
            }
        }
    }
    void aResumeGoesOnBehindTheCheckpoint() {
        auto plan = TrainingPlan::make(job(2, 0, 0), 10, 7);
        QVERIFY(plan.startAt(20));
        QVERIFY(plan.startAt(13));
        QCOMPARE(plan.firstStep, std::int64_t{13});
    }
    void aResumeBehindTheJobsEndIsRefused() {
        auto plan = TrainingPlan::make(job(2, 0, 0), 10, 7);
        const auto started = plan.startAt(21);
        QVERIFY(!started);
        QCOMPARE(started.error().code, ErrorCode::BadInput);
        QCOMPARE(started.error().message,
                 std::string("the checkpoint is of step 21, and the job ends at step 20 "
                             "(2 epochs of 10 steps)"));
        QCOMPARE(started.error().remedy, std::string("Resume with training.epochs = 3 or more."));
    }
    void theWayOutOfAResumeBehindTheEndIsInEpochsOfTheData() {
        auto spec = job(2, 0, 0);
        spec.training.evaluateEverySteps = 10;
        auto plan = TrainingPlan::make(spec, 100, 7);
        const auto started = plan.startAt(250);
        QCOMPARE(started.error().message,
                 std::string("the checkpoint is of step 250, and the job ends at step 200 "
                             "(2 epochs of 100 steps)"));
        QCOMPARE(started.error().remedy, std::string("Resume with training.epochs = 3 or more."));
        spec.training.steps = 30;
        plan = TrainingPlan::make(spec, 100, 7);
        const auto bySteps = plan.startAt(31);
        QCOMPARE(bySteps.error().message,
                 std::string("the checkpoint is of step 31, and the job ends at step 30"));
        QCOMPARE(bySteps.error().remedy, std::string("Resume with training.steps = 31 or more."));
    }
};

QTEST_GUILESS_MAIN(TrainingPlanTest)
#include "tst_training_plan.moc"
