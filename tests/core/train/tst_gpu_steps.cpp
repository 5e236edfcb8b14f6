// SPDX-License-Identifier: Apache-2.0
// The loop that drives a GPU, with an engine that computes on the CPU in a GPU's place.
#include <QtTest>

#include "core/train/replica/gpu_program.h"
#include "core/train/replica/gpu_steps.h"
#include "tests/core/train/small_job.h"
#include "tests/support/host_engine.h"

using namespace lockstep;
using namespace lockstep::tests;
using train::GpuSteps;

namespace {

/// Lets every replica of `spread` compute by an engine.
void useEngines(Spread& spread, const SmallJob& small, int replicas) {
    const auto sums = replicas > 1 ? std::make_shared<HostSums>(replicas) : nullptr;
    spread.steps = [&small, sums](collective::Communicator& communicator,
                                  const data::BatchPlan& batches) {
        const auto programs = train::enginePrograms(
            small.job.training, small.network, small.data,
            collective::planBuckets(small.network.cuts(), small.network.parameterCount()),
            batches.largestShare(), 1);
        auto engine = std::make_unique<HostEngine>(
            programs.steps,
            HostEngine::Parts{small.network, small.optimizer, sums, communicator.replica()});
        return std::make_unique<GpuSteps>(std::move(engine), small.job.training, batches,
                                          communicator, 6e6);
    };
}

QString problemOf(const RunResult& result) {
    for (const auto& outcome : result.outcomes)
        if (!outcome) return QString::fromStdString(outcome.error().message);
    return {};
}

std::size_t recordedSteps(const RunResult& result) {
    std::size_t steps = 0;
    for (const wire::Record& record : result.records[0])
        steps += static_cast<std::size_t>(record.steps().loss_size());
    return steps;
}

}  // namespace

class GpuStepsTest : public QObject {
    Q_OBJECT
private slots:
    void wholeStepsOfOneReplicaGiveTheCpusBits_data() {
        QTest::addColumn<bool>("adam");
        QTest::addColumn<double>("momentum");
        QTest::newRow("adam") << true << 0.0;
        QTest::newRow("sgd") << false << 0.0;
        QTest::newRow("momentum") << false << 0.9;
    }
    void wholeStepsOfOneReplicaGiveTheCpusBits() {
        QFETCH(bool, adam);
        QFETCH(double, momentum);
        auto spec = smallSpec({32});
        spec.training.epochs = 2;
        spec.training.optimizer = adam ? config::OptimizerKind::Adam : config::OptimizerKind::Sgd;
        spec.training.learningRate = adam ? 0.001 : 0.05;
        spec.training.momentum = momentum;
        spec.checkpoint.everySteps = 25;
        const SmallJob small(spec, smallDigits());  // 62 whole batches and one of 16
        RecordedEvents onCpu;
        RecordedEvents onGpu;
        Spread cpu;
        cpu.events = &onCpu;
        const RunResult expected = trainSmall(small, cpu);
        Spread gpu;
        gpu.events = &onGpu;
        useEngines(gpu, small, 1);
        const RunResult result = trainSmall(small, gpu);
        QCOMPARE(problemOf(result), QString());
        const auto& outcome = *result.outcomes[0];
        const auto& wanted = *expected.outcomes[0];
        QCOMPARE(outcome.stateHash, wanted.stateHash);
        QCOMPARE(outcome.step, wanted.step);
        QCOMPARE(outcome.train.correct, wanted.train.correct);
        QCOMPARE(outcome.samplesTrained, wanted.samplesTrained);
        QCOMPARE(outcome.validation->correct, wanted.validation->correct);
        QCOMPARE(outcome.test->correct, wanted.test->correct);
        QCOMPARE(result.losses, expected.losses);
        QCOMPARE(recordedSteps(result), std::size_t{126});
        QCOMPARE(onGpu.checkpoints, onCpu.checkpoints);
        QCOMPARE(onGpu.states, onCpu.states);
        QCOMPARE(onGpu.series, onCpu.series);
        QVERIFY(onGpu.series.contains("train/learning_rate"));
        QCOMPARE(result.progress[0].step, expected.progress[0].step);
    }

    void severalReplicasStartTheSameStepsAndEndAlike() {
        auto spec = smallSpec({32});
        spec.training.globalBatchSize = 30;  // 2000 / 30: the last batch is 20, shares differ
        const SmallJob small(spec, smallDigits());
        Spread gpu;
        gpu.hosts = {{1, 1, 1, 1}};
        useEngines(gpu, small, 4);
        const RunResult result = trainSmall(small, gpu);
        QCOMPARE(problemOf(result), QString());
        for (const auto& outcome : result.outcomes) {
            QCOMPARE(outcome->stateHash, result.outcomes[0]->stateHash);
            QCOMPARE(outcome->step, 67);
            QCOMPARE(outcome->train.samples, 2000.0);
        }
    }

    void aStopEndsAllReplicasBehindTheSameStep() {
        auto spec = smallSpec({32});
        spec.training.epochs = 50;
        const SmallJob small(spec, smallDigits());
        RecordedEvents events;
        Spread gpu;
        gpu.hosts = {{1, 1}};
        gpu.events = &events;
        gpu.stopRequested[1] = true;
        useEngines(gpu, small, 2);
        const RunResult result = trainSmall(small, gpu);
        QCOMPARE(problemOf(result), QString());
        for (const auto& outcome : result.outcomes) {
            QVERIFY(outcome->stopped);
            QCOMPARE(outcome->step, 1);
            QCOMPARE(outcome->stateHash, result.outcomes[0]->stateHash);
        }
        QCOMPARE(events.checkpoints, std::vector<std::int64_t>{1});
        QCOMPARE(recordedSteps(result), std::size_t{1});
    }

    void aLossThatIsNotANumberEndsTheRunBeforeItsStep() {
        auto spec = smallSpec({32});
        spec.training.optimizer = config::OptimizerKind::Sgd;
        spec.training.learningRate = 1e30;
        const SmallJob small(spec, smallDigits());
        Spread gpu;
        useEngines(gpu, small, 1);
        const RunResult result = trainSmall(small, gpu);
        QVERIFY(!result.outcomes[0].has_value());
        const Error& error = result.outcomes[0].error();
        QCOMPARE(error.code, ErrorCode::Diverged);
        QVERIFY2(error.message.find("the step was not applied") != std::string::npos,
                 error.message.c_str());
    }

    void aJobThatGoesOnLeavesSuchStepsOutAsTheCpuDoes() {
        auto spec = smallSpec({32});
        spec.training.optimizer = config::OptimizerKind::Sgd;
        spec.training.learningRate = 1e30;
        spec.training.terminateOnNan = false;
        const SmallJob small(spec, smallDigits());
        Spread cpu;
        const RunResult expected = trainSmall(small, cpu);
        Spread gpu;
        useEngines(gpu, small, 1);
        const RunResult result = trainSmall(small, gpu);
        QCOMPARE(problemOf(result), problemOf(expected));
        if (!expected.outcomes[0]) return;  // weights that are not finite end both alike
        QCOMPARE(result.outcomes[0]->skippedSteps, expected.outcomes[0]->skippedSteps);
        QCOMPARE(result.outcomes[0]->stateHash, expected.outcomes[0]->stateHash);
    }

    void aRateThatPlateausDecideIsThatOfTheSteps() {
        auto spec = smallSpec({32});
        spec.training.epochs = 4;
        spec.training.optimizer = config::OptimizerKind::Sgd;
        spec.training.schedule = {
            .kind = config::ScheduleKind::ReduceOnPlateau, .patience = 1, .minDelta = 10};
        const SmallJob small(spec, smallDigits());
        RecordedEvents onCpu;
        RecordedEvents onGpu;
        Spread cpu;
        cpu.events = &onCpu;
        const RunResult expected = trainSmall(small, cpu);
        Spread gpu;
        gpu.events = &onGpu;
        useEngines(gpu, small, 1);
        const RunResult result = trainSmall(small, gpu);
        QCOMPARE(problemOf(result), QString());
        QCOMPARE(result.outcomes[0]->stateHash, expected.outcomes[0]->stateHash);
        const auto& rates = onGpu.series.at("train/learning_rate");
        QCOMPARE(rates, onCpu.series.at("train/learning_rate"));
        QVERIFY(rates.rbegin()->second < rates.begin()->second);
    }

    void aListenerThatHasEnoughEndsItWithinTheNextWindows() {
        struct Enough final : train::TrainingListener {
            [[nodiscard]] bool batchEnded(const train::BatchFigures& figures) override {
                last = figures.step;
                return figures.step < 3;
            }
            [[nodiscard]] bool epochEnded(const wire::EpochResult& /*result*/) override {
                return true;
            }
            std::int64_t last = 0;
        } enough;
        auto spec = smallSpec({32});
        spec.training.epochs = 50;
        const SmallJob small(spec, smallDigits());
        Spread gpu;
        gpu.hosts = {{1, 1}};
        gpu.listener = &enough;
        useEngines(gpu, small, 2);
        const RunResult result = trainSmall(small, gpu);
        QCOMPARE(problemOf(result), QString());
        const auto& outcome = *result.outcomes[0];
        QVERIFY(outcome.stopped && outcome.step >= 3);
        QVERIFY(outcome.step <= 3 + 2 * static_cast<std::int64_t>(tensor::StepEngine::kWindow));
        QCOMPARE(enough.last, outcome.step);
        QCOMPARE(result.outcomes[1]->step, outcome.step);
        QCOMPARE(result.outcomes[1]->stateHash, outcome.stateHash);
    }

    void windowsAreShortForLargeStepsAndNeverEmpty() {
        QCOMPARE(GpuSteps::windowFor(0), tensor::StepEngine::kWindow);
        QCOMPARE(GpuSteps::windowFor(1e15), std::size_t{1});
        const std::size_t middle = GpuSteps::windowFor(20e9);
        QVERIFY(middle > 1 && middle < tensor::StepEngine::kWindow);
    }

    void theProgramsDescribeTheJob() {
        auto spec = smallSpec({33});
        spec.training.precision = config::Precision::BFloat16;
        spec.training.weightDecay = 0.01;
        spec.training.weightDecayOn = config::DecayOn::Matrices;
        const SmallJob small(spec, smallDigits(100, 10, 10));
        const auto programs = [&] {
            return train::enginePrograms(spec.training, small.network, small.data, {{0, 10}}, 32,
                                         7);
        };
        const auto made = programs();
        const tensor::EngineProgram& steps = made.steps;
        QCOMPARE(steps.products.size(), std::size_t{2});
        QCOMPARE(steps.products[1].inputs, std::size_t{33});
        QCOMPARE(steps.pieces.size(), std::size_t{4});  // weights decay, biases do not
        QVERIFY(steps.pieces[0].decays && !steps.pieces[1].decays);
        QCOMPARE(steps.pieces[3].begin, small.network.tensors()[3].offset);
        QCOMPARE(steps.pieces[3].end, small.network.parameterCount());
        QVERIFY(steps.precision == tensor::Precision::BFloat16);
        QVERIFY(steps.update.rule == tensor::UpdateRule::Adam);
        QCOMPARE(steps.splits.size(), std::size_t{3});
        QCOMPARE(steps.splits[0].labels.size(), std::size_t{100});
        QVERIFY(made.training.maxBatch == 32 && made.evaluation.maxBatch >= 16);
        QVERIFY(steps.captured);
        qputenv("LOCKSTEP_CUDA_GRAPHS", "0");
        QVERIFY(!programs().steps.captured);
        qunsetenv("LOCKSTEP_CUDA_GRAPHS");
    }

    void whatTheHostTakesPartInIsSaid() {
        auto spec = smallSpec({33});
        const SmallJob small(spec, smallDigits(100, 10, 10));
        QCOMPARE(train::beyondWholeSteps(spec.training, small.data), std::string());
        spec.training.globalClipNorm = 1;
        QCOMPARE(train::beyondWholeSteps(spec.training, small.data),
                 std::string("training.global_clipnorm is 1"));
    }
};

QTEST_GUILESS_MAIN(GpuStepsTest)
#include "tst_gpu_steps.moc"
