// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cstring>
#include <limits>

#include "core/model/build_graph.h"
#include "core/model/description/read_description.h"
#include "core/program/cpu/time_program.h"
#include "core/program/network.h"
#include "core/program/print.h"
#include "tests/support/program_runner.h"
#include "tests/support/random_graph.h"

using namespace lockstep;
using namespace lockstep::testing;
using model::Function;
using program::Program;

namespace {

constexpr std::uint64_t kGraphs = 200;
constexpr std::int64_t kRows = 4;

bool sameBits(std::span<const float> a, std::span<const float> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

std::string nameOf(std::uint64_t seed) {
    return "graph " + std::to_string(seed);
}

/// A runner of a random graph, with numbers for a step.
struct RandomStep : ProgramRunner {
    std::vector<float> samples;
    std::vector<float> outputGradient;

    explicit RandomStep(std::uint64_t seed) : ProgramRunner(makeRandomGraph(seed), kRows) {
        take(drawValues(graph(), seed));
        samples = drawSamples(graph(), kRows, seed);
        outputGradient = drawNumbers(
            static_cast<std::size_t>(kRows * model::elementCount(graph().output())), seed, 4);
    }
    std::span<const float> forward() {
        return ProgramRunner::forward({.samples = samples, .rows = kRows, .seed = 5, .step = 3});
    }
    void step(const std::function<void(std::size_t)>& onComplete = {}) {
        forward();
        backward(outputGradient, onComplete);
    }
};

/// A residual block between two convolutions, with a normalisation and a classifier.
model::Graph residualNetwork() {
    GraphSketch sketch;
    const model::Window window = paddedWindow({3, 3}, {1, 1}, 1);
    int last = sketch.input({6, 6, 2});
    last = sketch.convolution(last, 4, window, 1, false);
    last =
        sketch.activation(sketch.normalization(last, model::BatchNormalization{}), Function::Relu);
    const int shortcut = last;
    last = sketch.convolution(last, 4, window, 1, false);
    last =
        sketch.activation(sketch.normalization(last, model::BatchNormalization{}), Function::Relu);
    last = sketch.convolution(last, 4, window);
    last = sketch.activation(sketch.together(model::Add{}, {last, shortcut}), Function::Relu);
    last = sketch.globalPooling(last, model::Pooling::Kind::Average);
    last = sketch.dropout(last, 0.25F);
    sketch.dense(last, 3);
    return sketch.take();
}

/// Fails in the middle of a step.
class BrokenSum final : public program::ReplicaSum {
public:
    [[nodiscard]] Result<void> sum(std::span<double> /*values*/) override {
        return fail(ErrorCode::PeerLost, "replica 1 is gone", "");
    }
};

}  // namespace

class ProgramTest : public QObject {
    Q_OBJECT
private slots:
    void logitsLossAndGradientsOfADenseStackAreThoseOfKeras() {
        GoldenProgram runner;
        const auto logits = runner.forward(
            {.samples = runner.x.flat(), .rows = static_cast<std::int64_t>(runner.x.rows)});
        const auto& expected = runner.golden.at("logits").values;
        QCOMPARE(logits.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
            QVERIFY(std::abs(static_cast<double>(logits[i]) - expected[i]) < 1e-6);
        const auto totals = runner.computeGradients(runner.x, runner.labels, 1.0F / 7);
        QCOMPARE(totals.samples, 7.0);
        QVERIFY(std::abs(totals.lossSum / 7 - runner.golden.at("loss").values[0]) < 1e-6);
        QVERIFY(runner.error(runner.gradients, "gradient") < 2e-7);
    }
    void gapsBetweenTensorsAreLeftAlone() {
        GoldenProgram runner;
        std::ranges::fill(runner.gradients, -7.0F);
        runner.computeGradients(runner.x, runner.labels, 1.0F / 7);
        QCOMPARE(
            static_cast<std::size_t>(std::ranges::count(runner.gradients, -7.0F)),
            runner.parameters.size() - static_cast<std::size_t>(runner.graph().trainableCount()));
    }
    void aStepGivesTheSameBitsAgainWhateverTheLastOneLeft() {
        for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
            RandomStep runner(seed);
            const auto values = drawValues(runner.graph(), seed);
            const auto first = runner.forward();
            const std::vector<float> output(first.begin(), first.end());
            runner.backward(runner.outputGradient);
            const auto gradients = runner.gradients;
            const auto statistics = runner.statistics;
            const auto samples = runner.samples;
            runner.samples = drawSamples(runner.graph(), kRows, seed + 1);
            runner.step();
            runner.samples = samples;
            runner.take(values);
            QVERIFY2(sameBits(runner.forward(), output), nameOf(seed).c_str());
            runner.backward(runner.outputGradient);
            QVERIFY2(sameBits(runner.gradients, gradients), nameOf(seed).c_str());
            QVERIFY2(sameBits(runner.statistics, statistics), nameOf(seed).c_str());
        }
    }
    void gradientsThatAreReportedAreFinal() {
        for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
            RandomStep runner(seed);
            // What was final when, by where it began.
            std::vector<std::pair<std::size_t, std::vector<float>>> reports;
            runner.step([&](std::size_t begin) {
                reports.emplace_back(
                    begin, std::vector<float>(
                               runner.gradients.begin() + static_cast<std::ptrdiff_t>(begin),
                               runner.gradients.end()));
            });
            std::size_t last = runner.gradients.size();
            for (const auto& [begin, gradients] : reports) {
                QVERIFY2(begin <= last, nameOf(seed).c_str());
                last = begin;
                QVERIFY2(sameBits(std::span(runner.gradients).subspan(begin), gradients),
                         nameOf(seed).c_str());
            }
            const bool hasTrained = runner.graph().trainableCount() > 0;
            if (hasTrained) QVERIFY2(!reports.empty() && last == 0, nameOf(seed).c_str());
        }
    }
    void parametersAreNotReadOnceTheirGradientsAreReported() {
        for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
            RandomStep runner(seed);
            runner.step();
            const auto expected = runner.gradients;
            // Another replica updates them in place from then on.
            runner.step([&](std::size_t begin) {
                std::fill(runner.parameters.begin() + static_cast<std::ptrdiff_t>(begin),
                          runner.parameters.end(), std::numeric_limits<float>::quiet_NaN());
            });
            QVERIFY2(sameBits(runner.gradients, expected), nameOf(seed).c_str());
        }
    }
    void aDeepStackReportsLayerByLayer() {
        // What the exchange of gradients hides behind the rest of the step.
        ProgramRunner runner(denseStack(5, {6, 7, 8, 3}), 2);
        const auto& offsets = runner.program().layout.offsets;
        std::vector<std::size_t> complete;  // the first layer of those that are
        const auto samples = drawNumbers(10, 1, 1);
        runner.forward({.samples = samples, .rows = 2});
        runner.backward(drawNumbers(6, 1, 2), [&](std::size_t begin) {
            std::size_t layer = 4;
            while (layer > 0 && offsets[2 * (layer - 1)] >= begin)
                --layer;
            if (layer < 4 && (complete.empty() || layer < complete.back()))
                complete.push_back(layer);
        });
        QCOMPARE(complete, (std::vector<std::size_t>{3, 2, 1, 0}));
    }
    void nothingIsComputedBelowTheFirstTensorThatIsTrained() {
        auto graph = denseStack(5, {6, 7, 3});
        for (std::size_t i = 0; i < 4; ++i)
            graph.tensors[i].isTrainable = false;
        const Program program = compile(graph, 2, Program::Mode::Training);
        QVERIFY(!program.backward.empty());
        const auto last = static_cast<int>(graph.nodes.size()) - 1;
        for (const program::Instruction& instruction : program.backward)
            QCOMPARE(instruction.node, last);
    }
    void aNormalizationThatIsNotTrainedGoesByItsStatisticsAndLeavesThemAlone() {
        const auto toml = config::parseToml(R"([model]
            layers = [
              { type = "dense", units = 2, use_bias = false },
              { type = "batch_normalization", epsilon = 1, trainable = false, activation = "relu" },
            ])");
        const auto reading = model::readDescription(*toml->find("model"));
        QVERIFY(reading.problems.empty());
        ProgramRunner runner(*model::buildGraph(reading.description, {.input = {2}}), 2);
        const auto set = [&](std::size_t tensor, std::vector<float>& flat,
                             const std::vector<float>& values) {
            std::ranges::copy(values, runner.view(tensor, flat).begin());
        };
        set(0, runner.parameters, {1, 0, 0, 1});
        set(1, runner.parameters, {4, 8});   // scale
        set(2, runner.parameters, {1, -1});  // center
        set(3, runner.statistics, {1, 2});   // mean
        set(4, runner.statistics, {3, 15});  // variance
        const auto statistics = runner.statistics;
        const std::vector<float> samples = {5, 10, 3, -10};
        const auto output = runner.forward({.samples = samples, .rows = 2});
        // Keras' inference mode: (x - mean) / sqrt(variance + 1) * scale + center, then relu.
        QVERIFY(std::ranges::equal(output, std::vector<float>{9, 15, 5, 0}));
        QVERIFY(runner.statistics == statistics);
        runner.backward(std::vector<float>{1, 10, 1, 10});
        // dy * scale / sqrt(variance + 1) where the relu is open: [2, 20] and [2, 0].
        QVERIFY(std::ranges::equal(runner.view(0, runner.gradients),
                                   std::vector<float>{2 * 5 + 2 * 3, 2 * 10 - 2 * 10, 100, 200}));
    }
    void aWeightUsedTwiceWithABiasOfEachUseHasTheGradientsOfAll() {
        // y = W (W x + a) + b.
        GraphSketch sketch;
        const int first = sketch.dense(sketch.input({2}), 2);
        const int bias = sketch.tensor("bias", {2});
        sketch.node(model::Dense{}, {first}, {2}, {0, bias});
        ProgramRunner runner(sketch.graph(), 1);
        std::ranges::copy(std::vector<float>{1, 2, 3, 4},
                          runner.view(0, runner.parameters).begin());
        std::ranges::copy(std::vector<float>{5, 6}, runner.view(1, runner.parameters).begin());
        std::ranges::copy(std::vector<float>{7, 8}, runner.view(2, runner.parameters).begin());
        const std::vector<float> x{1, -1};
        std::ranges::fill(runner.gradients, std::numeric_limits<float>::quiet_NaN());
        const auto y = runner.forward({.samples = x, .rows = 1});
        // W x + a = [4, 5]; W [4, 5] + b = [21, 40].
        QVERIFY(std::ranges::equal(y, std::vector<float>{21, 40}));
        runner.backward(std::vector<float>{1, 10});
        QVERIFY(std::ranges::equal(runner.view(2, runner.gradients), std::vector<float>{1, 10}));
        // Wᵀ [1, 10] = [31, 42].
        QVERIFY(std::ranges::equal(runner.view(1, runner.gradients), std::vector<float>{31, 42}));
        // [1, 10] ⊗ [4, 5] + [31, 42] ⊗ [1, -1].
        QVERIFY(std::ranges::equal(runner.view(0, runner.gradients),
                                   std::vector<float>{35, -26, 82, 8}));
    }
    void evaluationDropsNothingAndHasNoBackward() {
        const Program program = compile(residualNetwork(), 8, Program::Mode::Evaluation);
        QVERIFY(program.backward.empty());
        QCOMPARE(program.outputGradient, -1);
        for (const program::Instruction& instruction : program.forward) {
            QVERIFY(instruction.action == program::Action::Forward);
            const model::Node& node =
                program.graph.nodes[static_cast<std::size_t>(instruction.node)];
            QVERIFY(!std::holds_alternative<model::Dropout>(node.operation));
        }
    }
    void aSumThatFailsEndsTheStep() {
        BrokenSum broken;
        ProgramRunner runner(residualNetwork(), 2);
        runner.take(drawValues(runner.graph(), 1));
        const auto samples = drawSamples(runner.graph(), 2, 1);
        const program::StepBatch batch{.samples = samples, .rows = 2};
        const auto forward =
            runner.executor->forward(batch, runner.parameters, runner.statistics, broken);
        QVERIFY(!forward);
        QCOMPARE(forward.error().message, std::string("replica 1 is gone"));
        runner.forward(batch);
        const auto backward =
            runner.executor->backward(runner.parameters, runner.gradients, broken, {});
        QVERIFY(!backward);
        QVERIFY(backward.error().code == ErrorCode::PeerLost);
    }
    void namedColumnsReachTheLayersThatTakeThem() {
        const auto toml = config::parseToml(R"([model]
            layers = [
              { type = "embedding", name = "place", input = "data.place", input_dim = "vocabulary", output_dim = 2 },
              { type = "concatenate", inputs = ["data", "place"] },
              { type = "dense", units = 1, name = "last" },
            ])");
        const auto reading = model::readDescription(*toml->find("model"));
        QVERIFY(reading.problems.empty());
        const model::DataFacts facts{.input = {2},
                                     .columns = {{.name = "unused", .shape = {}, .vocabulary = 9},
                                                 {.name = "place", .shape = {}, .vocabulary = 3}}};
        const auto graph = model::buildGraph(reading.description, facts);
        QVERIFY(graph.has_value());
        QCOMPARE(program::Network(*graph).inputFeatures(), std::size_t{4});
        ProgramRunner runner(*graph, 2);
        const auto set = [&](std::size_t tensor, const std::vector<float>& values) {
            std::ranges::copy(values, runner.view(tensor, runner.parameters).begin());
        };
        set(0, {1, 2, 3, 4, 5, 6});  // of place 0, 1, 2
        set(1, {1, 10, 100, 1000});  // of the sample's two numbers, then the place's two
        const std::vector<float> samples = {0.5F, 0.25F, 8, 2, 1, 2, 0, 0};
        const auto output = runner.forward({.samples = samples, .rows = 2});
        QCOMPARE(output[0], 0.5F + 2.5F + 500 + 6000);
        QCOMPARE(output[1], 1.0F + 20 + 100 + 2000);
        runner.backward(std::vector<float>{1, 2});
        QVERIFY(std::ranges::equal(runner.view(0, runner.gradients),
                                   std::vector<float>{200, 2000, 0, 0, 100, 1000}));
    }
    void everyInstructionIsTimed() {
        for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
            const Program program = compile(makeRandomGraph(seed), kRows, Program::Mode::Training);
            const auto times = program::timeProgram(program, 2);
            QVERIFY2(times.has_value(), nameOf(seed).c_str());
            QCOMPARE(times->steps, 2);
            QCOMPARE(times->forward.size(), program.forward.size());
            QCOMPARE(times->backward.size(), program.backward.size());
            for (std::size_t i = 0; i < program.forward.size(); ++i)
                if (program.forward[i].action == program::Action::Forward)
                    QVERIFY(times->forward[i] > Nanos(0));
            const auto lines = std::ranges::count(toText(program, *times), '\n');
            QCOMPARE(lines, std::ranges::count(toText(program), '\n') + 1);
        }
    }
    void aProgramAsTextSaysWhatIsComputedOfWhat() {
        QFile file(LOCKSTEP_SOURCE_DIR "/tests/golden/residual_program.txt");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto graph = residualNetwork();
        const std::string text = toText(compile(graph, 8, Program::Mode::Training)) + "\n" +
                                 toText(compile(graph, 8, Program::Mode::Evaluation));
        const bool isEqual = file.readAll().toStdString() == text;
        if (!isEqual) qInfo("it is now:\n%s", text.c_str());
        QVERIFY(isEqual);
    }
};

QTEST_GUILESS_MAIN(ProgramTest)
#include "tst_program.moc"
