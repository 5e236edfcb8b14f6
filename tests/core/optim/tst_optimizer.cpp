// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>
#include <limits>
#include <thread>

#include "core/base/thread.h"
#include "core/optim/optimizer.h"
#include "tests/support/network_runner.h"

using namespace lockstep;
using namespace lockstep::testing;
using optim::Moments;
using optim::Optimizer;

namespace {

config::TrainingSpec adam(double learningRate = 0.001, double epsilon = 1e-7) {
    config::TrainingSpec training;
    training.learningRate = learningRate;
    training.epsilon = epsilon;
    return training;
}

config::TrainingSpec sgd(double learningRate, double momentum = 0) {
    config::TrainingSpec training;
    training.optimizer = config::OptimizerKind::Sgd;
    training.learningRate = learningRate;
    training.momentum = momentum;
    return training;
}

struct OptimizerState {
    std::vector<float> first;
    std::vector<float> second;

    OptimizerState(const Optimizer& optimizer, std::size_t count)
        : first(optimizer.momentCount() > 0 ? count : 0),
          second(optimizer.momentCount() > 1 ? count : 0) {}
    [[nodiscard]] Moments moments() { return {first, second}; }
};

/// Three steps on the golden network's batch.
void train(GoldenNetwork& runner, const Optimizer& optimizer,
           const std::vector<std::size_t>& cuts) {
    OptimizerState state(optimizer, runner.parameters.size());
    for (int step = 1; step <= 3; ++step) {
        runner.computeGradients(runner.x, runner.labels, 1.0F / 7);
        for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
            optimizer.update(cuts[i], cuts[i + 1], runner.gradients, runner.parameters,
                             state.moments(), step);
    }
}

/// Denormal numbers among the first moments after many steps without a gradient.
std::ptrdiff_t denormalsAfterDecay(bool flush) {
    std::ptrdiff_t denormals = -1;
    std::thread thread([&] {  // Of its own, because flushing is a property of the thread.
        if (flush) flushDenormals();
        const Optimizer optimizer = Optimizer::make(adam()).value();
        const std::vector<float> gradients(1000);
        std::vector<float> parameters(1000);
        std::vector<float> first(1000, 1e-3F);
        std::vector<float> second(1000, 1e-3F);
        for (int step = 1; step <= 800; ++step)
            optimizer.update(0, 1000, gradients, parameters, {first, second}, step);
        denormals = std::ranges::count_if(
            first, [](float value) { return std::fpclassify(value) == FP_SUBNORMAL; });
    });
    thread.join();
    return denormals;
}

}  // namespace

class OptimizerTest : public QObject {
    Q_OBJECT
private slots:
    void threeStepsAreThoseOfKeras_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("moments");
        QTest::newRow("adam, large steps and epsilon") << "adam" << 2;
        QTest::newRow("adam, defaults") << "adam_default" << 2;
        QTest::newRow("sgd with momentum") << "momentum" << 1;
        QTest::newRow("sgd") << "sgd" << 0;
    }
    void threeStepsAreThoseOfKeras() {
        QFETCH(QString, name);
        QFETCH(int, moments);
        const std::map<QString, config::TrainingSpec> settings{{"adam", adam(0.01, 1e-3)},
                                                               {"adam_default", adam()},
                                                               {"momentum", sgd(0.1, 0.9)},
                                                               {"sgd", sgd(0.1)}};
        GoldenNetwork runner;
        const Optimizer optimizer = Optimizer::make(settings.at(name)).value();
        QCOMPARE(optimizer.momentCount(), moments);
        train(runner, optimizer, {0, runner.parameters.size()});
        QVERIFY(runner.error(runner.parameters, "initial") > 1e-3);
        const double error = runner.error(runner.parameters, name.toStdString());
        QVERIFY2(error < 1e-6, qPrintable(QString::number(error)));
    }
    void theMomentumBufferIsPyTorchs() {
        const Optimizer optimizer = Optimizer::make(sgd(0.25, 0.5)).value();
        std::vector<float> parameters{1, 2};
        std::vector<float> buffer{0, 0};
        const Moments moments{buffer, {}};
        for (std::int64_t step = 1; step <= 2; ++step) {
            const std::vector<float> gradients{4, -8};
            optimizer.update(0, 2, gradients, parameters, moments, step);
        }
        // torch.optim.SGD(lr=0.25, momentum=0.5): buf = 0.5 * buf + g; p -= 0.25 * buf.
        QCOMPARE(buffer, (std::vector<float>{6, -12}));
        QCOMPARE(parameters, (std::vector<float>{1 - 1 - 1.5F, 2 + 2 + 3}));
    }
    void rangesUpdateAsTheWholeDoes() {
        for (const auto& training : {adam(), sgd(0.1, 0.9), sgd(0.1)}) {
            const Optimizer optimizer = Optimizer::make(training).value();
            GoldenNetwork whole;
            GoldenNetwork parts;
            train(whole, optimizer, {0, whole.parameters.size()});
            train(parts, optimizer, {0, 0, 1, 16, 19, 200, whole.parameters.size()});
            QVERIFY(whole.parameters == parts.parameters);
        }
    }
    void nothingOutsideTheRangeIsTouched() {
        GoldenNetwork runner;
        const auto before = runner.parameters;
        train(runner, Optimizer::make(adam()).value(), {16, 48});
        QVERIFY(
            !std::equal(before.begin() + 16, before.begin() + 48, runner.parameters.begin() + 16));
        QVERIFY(std::equal(before.begin(), before.begin() + 16, runner.parameters.begin()));
        QVERIFY(std::equal(before.begin() + 48, before.end(), runner.parameters.begin() + 48));
    }
    void gapsBetweenTensorsStayZero() {
        for (const auto& training : {adam(0.01, 1e-30), sgd(0.1, 0.9), sgd(0.1)}) {
            GoldenNetwork runner;
            train(runner, Optimizer::make(training).value(), {0, runner.parameters.size()});
            std::size_t end = 0;
            for (const program::PlacedTensor& tensor : runner.network.tensors()) {
                for (; end < tensor.offset; ++end)
                    QCOMPARE(runner.parameters[end], 0.0F);
                end = tensor.offset + tensor.size();
            }
            for (; end < runner.parameters.size(); ++end)
                QCOMPARE(runner.parameters[end], 0.0F);
        }
    }
    void theStepSizeIsThatOfAdamAfterManySteps() {
        // With the moments at g and g * g a step is the step size, up to epsilon.
        const Optimizer optimizer = Optimizer::make(adam()).value();
        for (const std::int64_t step : {1L, 2L, 3L, 10L, 1001L, 100000L, 10000000000L}) {
            const std::vector<float> gradient{1};
            std::vector<float> parameter{0};
            std::vector<float> first{1};
            std::vector<float> second{1};
            optimizer.update(0, 1, gradient, parameter, {first, second}, step);
            const auto t = static_cast<double>(step);
            const double expected =
                -0.001 * std::sqrt(1 - std::pow(0.999, t)) / (1 - std::pow(0.9, t)) / (1 + 1e-7);
            QVERIFY(std::abs(static_cast<double>(parameter[0]) / expected - 1) < 3e-7);
        }
    }
    void decayingMomentsNeverBecomeDenormal() {
        QCOMPARE(denormalsAfterDecay(true), 0);
        QCOMPARE(denormalsAfterDecay(false), 1000);  // Or the line above would show nothing.
    }
    void impossibleSettingsAreRefusedByTheirKey() {
        constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
        const auto keyOf = [](const config::TrainingSpec& training) {
            const auto made = Optimizer::make(training);
            return made || made.error().code != ErrorCode::BadInput ? std::string()
                                                                    : made.error().message;
        };
        for (const double bad : {0.0, -0.1, kNan, 1e300, 1e-300}) {
            QVERIFY(keyOf(adam(bad)).starts_with("training.learning_rate is "));
            QVERIFY(keyOf(adam(0.001, bad)).starts_with("training.epsilon is "));
        }
        for (const double bad : {1.0, -0.1, kNan}) {
            QVERIFY(keyOf(sgd(0.1, bad)).starts_with("training.momentum is "));
            auto training = adam();
            training.beta1 = bad;
            QVERIFY(keyOf(training).starts_with("training.beta1 is "));
            training = adam();
            training.beta2 = bad;
            QVERIFY(keyOf(training).starts_with("training.beta2 is "));
        }
    }
};

QTEST_GUILESS_MAIN(OptimizerTest)
#include "tst_optimizer.moc"
