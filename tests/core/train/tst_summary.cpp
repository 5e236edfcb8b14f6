// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <nlohmann/json.hpp>

#include "core/train/summary.h"

using namespace lockstep;
using namespace lockstep::train;
using nlohmann::json;

namespace {

const MetricSet kNoMetrics({}, {}, -1, 1);

config::JobSpec twoByTwo() {
    config::JobSpec job;
    job.cluster.numProcesses = 2;
    job.cluster.devicesPerProcess = 2;
    return job;
}

json summaryOf(const TrainingOutcome& outcome) {
    const TrainingPlan plan{.stepsPerEpoch = 10, .totalSteps = 20};
    return json::parse(
        summaryJson(twoByTwo(), plan, outcome, kNoMetrics, "shm", "cpu", {"disk full"}));
}

TrainingOutcome completed() {
    TrainingOutcome outcome;
    outcome.step = 20;
    outcome.train = {50, 90, 100};
    outcome.validation = SplitScore{20, 30, 40};
    outcome.test = SplitScore{10, 9, 20};
    outcome.stateHash = "0123456789abcdef0123456789abcdef";
    outcome.trainSeconds = 4;
    outcome.samplesTrained = 640;
    for (int i = 100; i >= 1; --i)
        outcome.stepMilliseconds.push_back(static_cast<float>(i));
    return outcome;
}

}  // namespace

class SummaryTest : public QObject {
    Q_OBJECT
private slots:
    void aCompletedRunFillsEveryField() {
        const json expected = {{"status", "completed"},
                               {"world_size", 4},
                               {"backend", "shm"},
                               {"device", "cpu"},
                               {"devices", json::array()},
                               {"steps", 20},
                               {"epochs", 2},
                               {"train_loss", 0.5},
                               {"train_accuracy", 0.9},
                               {"validation_loss", 0.5},
                               {"validation_accuracy", 0.75},
                               {"test_loss", 0.5},
                               {"test_accuracy", 0.45},
                               {"train_seconds", 4.0},
                               {"trained_steps", 20},
                               {"samples_per_second", 160.0},
                               {"step_milliseconds", {{"p50", 51.0}, {"p99", 99.0}}},
                               {"state_hash", "0123456789abcdef0123456789abcdef"},
                               {"stopped_early_at_epoch", nullptr},
                               {"stopped_early_because", nullptr},
                               {"best_epoch", nullptr},
                               {"best_step", nullptr},
                               {"best_value", nullptr},
                               {"restored_best", false},
                               {"restored_step", nullptr},
                               {"warnings", {"disk full"}},
                               {"skipped_steps", 0}};
        QCOMPARE(QByteArray::fromStdString(summaryOf(completed()).dump(2)),
                 QByteArray::fromStdString(expected.dump(2)));
    }
    void whatAStoppedRunDidNotReachIsNull() {
        auto outcome = completed();
        outcome.stopped = true;
        outcome.step = 13;
        outcome.validation.reset();
        outcome.test.reset();
        const json summary = summaryOf(outcome);
        QVERIFY(summary["status"] == "stopped");
        QVERIFY(summary["steps"] == 13);
        QVERIFY(summary["epochs"] == 1);
        for (const char* key :
             {"validation_loss", "validation_accuracy", "test_loss", "test_accuracy"})
            QVERIFY2(summary.contains(key) && summary[key].is_null(), key);
    }
    void aRunWithoutAStepHasNoRates() {
        const json summary = summaryOf({});
        for (const char* key : {"train_loss", "train_accuracy", "samples_per_second"})
            QVERIFY2(summary.contains(key) && summary[key].is_null(), key);
        QVERIFY(summary["step_milliseconds"]["p50"].is_null());
        QVERIFY(summary["step_milliseconds"]["p99"].is_null());
    }
    void percentilesOfOneStepAreThatStep() {
        auto outcome = completed();
        outcome.stepMilliseconds = {2.5F};
        QVERIFY(summaryOf(outcome)["step_milliseconds"]["p50"] == 2.5);
        QVERIFY(summaryOf(outcome)["step_milliseconds"]["p99"] == 2.5);
    }
    void aLossThatIsNotANumberIsNullNotBadJson() {
        auto outcome = completed();
        outcome.train.lossSum = std::numeric_limits<double>::quiet_NaN();
        QVERIFY(summaryOf(outcome)["train_loss"].is_null());
    }
};

QTEST_GUILESS_MAIN(SummaryTest)
#include "tst_summary.moc"
