// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/train/checkpoints/evaluation_interval.h"

using namespace lockstep;
using namespace lockstep::train;

class EvaluationIntervalTest : public QObject {
    Q_OBJECT
private slots:
    void anotherIntervalDropsWhatTheFormerOneHasAddedUp() {
        StartPoint start{.step = 13};
        start.checkpoint.emplace();
        start.epochSoFar = {.lossSum = 2, .correct = 1, .samples = 96};
        start.epochEndDue = true;
        checkpoint::TrainingState& state = start.checkpoint->state;
        state.best = {.monitor = "min validation_loss", .step = 10, .epoch = 2, .value = 1};
        state.patience = {.monitor = "m", .bestEpoch = 2, .bestValue = 1, .epochsWaited = 3};
        QCOMPARE(adoptInterval(start, 20), std::string());  // an older version does not tell
        state.stepsPerEpoch = 5;
        QCOMPARE(adoptInterval(start, 5), std::string());
        QCOMPARE(start.epochSoFar.samples, 96.0);
        const QString said = QString::fromStdString(adoptInterval(start, 10));
        QVERIFY2(said.contains("every 10 steps from here on, not every 5"), qPrintable(said));
        QVERIFY2(said.contains("anew with step 14"), qPrintable(said));
        QVERIFY2(said.contains("the evaluation of step 13, which was cut off"), qPrintable(said));
        QCOMPARE(start.epochSoFar.samples, 0.0);
        QVERIFY(!start.epochEndDue);
        QCOMPARE(state.best.epoch, std::int64_t{1});
        QCOMPARE(state.patience.bestEpoch, std::int64_t{1});
        QCOMPARE(state.patience.epochsWaited, std::int64_t{3});
    }
    void aFreshStartHasNone() {
        StartPoint start;
        QCOMPARE(adoptInterval(start, 10), std::string());
    }
};

QTEST_APPLESS_MAIN(EvaluationIntervalTest)
#include "tst_evaluation_interval.moc"
