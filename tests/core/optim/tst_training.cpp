// SPDX-License-Identifier: Apache-2.0
// Whole training steps: convergence, reproducibility, and that a step allocates nothing.
#include <QtTest>

#include "core/base/rng.h"
#include "core/base/thread.h"
#include "core/optim/optimizer.h"
#include "core/tensor/cpu/operations.h"
#include "tests/support/counted_allocations.h"
#include "tests/support/network_runner.h"

using namespace lockstep;
using namespace lockstep::testing;

namespace {

/// Points of a plane in three arms of a spiral: no linear model separates them.
struct Spiral {
    std::vector<float> points;
    std::vector<std::int32_t> labels;

    explicit Spiral(std::size_t count) {
        CounterRng rng(5);
        for (std::size_t i = 0; i < count; ++i) {
            const auto label = static_cast<std::int32_t>(i % 3);
            const float radius = rng.nextFloat(0.1F, 1);
            const float angle =
                4 * radius + 2.0944F * static_cast<float>(label) + rng.nextFloat(-0.2F, 0.2F);
            points.insert(points.end(), {radius * std::cos(angle), radius * std::sin(angle)});
            labels.push_back(label);
        }
    }
};

struct Trainer : NetworkRunner {
    Spiral data{300};
    optim::Optimizer optimizer;
    std::vector<float> first = parameters;
    std::vector<float> second = parameters;
    int step = 0;

    explicit Trainer(const config::TrainingSpec& training)
        : NetworkRunner({.layers = {{.units = 32, .activation = config::Activation::Relu},
                                    {.units = 32, .activation = config::Activation::Relu},
                                    {.units = 3}}},
                        2, 60),
          optimizer(optim::Optimizer::make(training).value()) {
        network.initialise(parameters, 3);
    }
    /// Batches of 60, in order; the totals of the last.
    tensor::LossTotals run(int steps) {
        tensor::LossTotals totals;
        for (int i = 0; i < steps; ++i, ++step) {
            const std::size_t begin = static_cast<std::size_t>(step % 5) * 60;
            const auto labels = std::span(data.labels).subspan(begin, 60);
            totals = computeGradients({data.points.data() + begin * 2, 60, 2}, labels, 1.0F / 60);
            optimizer.update(0, parameters.size(), gradients, parameters, {first, second},
                             step + 1);
        }
        return totals;
    }
};

config::TrainingSpec settings(config::OptimizerKind kind, double learningRate, double momentum) {
    config::TrainingSpec training;
    training.optimizer = kind;
    training.learningRate = learningRate;
    training.momentum = momentum;
    return training;
}

}  // namespace

class TrainingTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { flushDenormals(); }

    void aSpiralIsLearnt_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<double>("learningRate");
        QTest::addColumn<double>("momentum");
        QTest::newRow("adam") << int(config::OptimizerKind::Adam) << 0.01 << 0.0;
        QTest::newRow("momentum") << int(config::OptimizerKind::Sgd) << 0.1 << 0.9;
        QTest::newRow("sgd") << int(config::OptimizerKind::Sgd) << 0.5 << 0.0;
    }
    void aSpiralIsLearnt() {
        QFETCH(int, kind);
        QFETCH(double, learningRate);
        QFETCH(double, momentum);
        Trainer trainer(settings(config::OptimizerKind(kind), learningRate, momentum));
        const auto before = trainer.run(1);
        QVERIFY(before.correct < 45);
        const auto after = trainer.run(2000);
        QVERIFY2(after.correct >= 57, qPrintable(QString::number(after.correct)));
        QVERIFY(after.lossSum < 0.2 * before.lossSum);
    }
    void theSameTrainingGivesTheSameBits() {
        Trainer first(settings(config::OptimizerKind::Adam, 0.01, 0));
        Trainer second(settings(config::OptimizerKind::Adam, 0.01, 0));
        first.run(200);
        second.run(120);
        second.run(80);
        const auto hashOf = [](Trainer& trainer) {
            const std::vector<std::span<const float>> parts{trainer.parameters, trainer.first,
                                                            trainer.second};
            return tensor::stateHash(parts);
        };
        QCOMPARE(hashOf(first), hashOf(second));
        first.run(1);
        QVERIFY(hashOf(first) != hashOf(second));
    }
    void aSteadyStepAllocatesNothing() {
        Trainer trainer(settings(config::OptimizerKind::Adam, 0.01, 0));
        trainer.run(5);
        const std::int64_t before = tests::allocations;
        trainer.run(100);
        QCOMPARE(tests::allocations, before);
        const Trainer another(settings(config::OptimizerKind::Adam, 0.01, 0));
        QVERIFY(tests::allocations > before);
    }
};

QTEST_GUILESS_MAIN(TrainingTest)
#include "tst_training.moc"
