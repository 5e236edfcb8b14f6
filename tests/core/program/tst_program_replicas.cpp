// SPDX-License-Identifier: Apache-2.0
//
// N replicas compute what one would: dropout by the place in the global batch, normalisations over
// all replicas, gradients that add up.
#include <QtTest>
#include <cstring>
#include <numeric>
#include <thread>

#include "tests/support/joined_sums.h"
#include "tests/support/program_runner.h"
#include "tests/support/random_graph.h"

using namespace lockstep;
using namespace lockstep::testing;
using program::Program;

namespace {

constexpr std::uint64_t kGraphs = 150;
constexpr std::uint64_t kRunSeed = 11;
constexpr std::int64_t kStep = 6;

/// What a step gave.
struct Outcome {
    std::vector<float> output;
    std::vector<float> gradients{};
    std::vector<float> statistics{};
};

/// A batch of a graph, to be run whole or in parts.
struct Batch {
    model::Graph graph;
    GraphValues values;
    std::int64_t rows = 0;
    std::vector<float> samples;
    std::vector<float> outputGradient;

    Batch(model::Graph of, std::int64_t count, std::uint64_t seed)
        : graph(std::move(of)),
          values(drawValues(graph, seed)),
          rows(count),
          samples(drawSamples(graph, count, seed)),
          outputGradient(drawNumbers(
              static_cast<std::size_t>(count * model::elementCount(graph.output())), seed, 4)) {}

    /// A training step on rows [begin, begin + count), as a replica's part.
    [[nodiscard]] Outcome run(std::int64_t begin, std::int64_t count,
                              program::ReplicaSum& sum) const {
        const auto part = [&](const std::vector<float>& all, const model::Shape& shape) {
            const std::int64_t each = model::elementCount(shape);
            return std::span(all).subspan(static_cast<std::size_t>(begin * each),
                                          static_cast<std::size_t>(count * each));
        };
        ProgramRunner runner(graph, rows);
        runner.sum = &sum;
        runner.take(values);
        const auto output = runner.forward({.samples = part(samples, graph.input),
                                            .rows = count,
                                            .seed = kRunSeed,
                                            .step = kStep,
                                            .firstPlace = begin});
        Outcome outcome{.output = {output.begin(), output.end()}};
        runner.backward(part(outputGradient, graph.output()));
        outcome.gradients = runner.gradients;
        outcome.statistics = runner.statistics;
        return outcome;
    }
    [[nodiscard]] Outcome whole() const {
        program::NoReplicaSum alone;
        return run(0, rows, alone);
    }
    /// Replicas with so many rows each, every one a thread.
    [[nodiscard]] std::vector<Outcome> inParts(const std::vector<std::int64_t>& parts,
                                               JoinedSums& sums) const {
        std::vector<Outcome> outcomes(parts.size());
        std::vector<std::jthread> threads;
        std::int64_t begin = 0;
        for (std::size_t i = 0; i < parts.size(); begin += parts[i], ++i)
            threads.emplace_back([this, i, begin, &parts, &sums, &outcomes] {
                outcomes[i] = run(begin, parts[i], sums.of(i));
            });
        threads.clear();
        return outcomes;
    }
};

bool hasBatchNormalization(const model::Graph& graph) {
    return std::ranges::any_of(graph.nodes, [](const model::Node& node) {
        return std::holds_alternative<model::BatchNormalization>(node.operation);
    });
}

void synchroniseAll(model::Graph& graph, bool isSynchronized) {
    for (model::Node& node : graph.nodes)
        if (auto* normalization = std::get_if<model::BatchNormalization>(&node.operation))
            normalization->isSynchronized = isSynchronized;
}

/// The largest difference, relative to the largest number that is expected or to 1.
double distance(const std::vector<float>& found, const std::vector<float>& expected) {
    if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
    double size = 1;
    double largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double one =
            std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i]));
        if (!(one <= largest)) largest = one;  // NaN too
        size = std::max(size, std::abs(static_cast<double>(expected[i])));
    }
    return largest / size;
}

/// All outputs one behind the other, all gradients added up.
Outcome joined(const std::vector<Outcome>& parts) {
    Outcome all = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i) {
        all.output.insert(all.output.end(), parts[i].output.begin(), parts[i].output.end());
        for (std::size_t k = 0; k < all.gradients.size(); ++k)
            all.gradients[k] += parts[i].gradients[k];
    }
    return all;
}

model::Graph dropoutNetwork() {
    GraphSketch sketch;
    const int first = sketch.dropout(sketch.input({3, 5}), 0.5F);
    sketch.dropout(first, 0.25F);
    return sketch.take();
}

}  // namespace

class ProgramReplicasTest : public QObject {
    Q_OBJECT
private slots:
    void aPartsUnitsAreDroppedAsThoseOfTheWholeBatch() {
        const Batch batch(dropoutNetwork(), 7, 1);
        program::NoReplicaSum alone;
        const auto whole = batch.whole();
        const auto part = batch.run(3, 2, alone);
        const std::vector<float> rows(whole.output.begin() + 45, whole.output.begin() + 75);
        QVERIFY(part.output == rows);
        const auto dropped = std::ranges::count(whole.output, 0.0F);
        QVERIFY(dropped > 40 && dropped < 90);  // of 105, 5 / 8 are expected
        const std::vector<float> others(whole.output.begin(), whole.output.begin() + 30);
        for (std::size_t i = 0; i < others.size(); ++i)
            if ((others[i] == 0) != (rows[i] == 0)) return;
        QFAIL("two parts of the batch lose the same units");
    }
    void gradientsOfUnevenPartsAddUpToTheWholeBatchs() {
        int normalised = 0;
        for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
            auto graph = makeRandomGraph(seed);
            synchroniseAll(graph, true);
            normalised += static_cast<int>(hasBatchNormalization(graph));
            const Batch batch(std::move(graph), 7, seed);
            const auto whole = batch.whole();
            for (const std::vector<std::int64_t>& parts :
                 {std::vector<std::int64_t>{4, 3}, {1, 6}, {7, 0}, {0, 7}, {2, 0, 5}}) {
                JoinedSums sums(parts.size());
                const auto outcomes = batch.inParts(parts, sums);
                const auto all = joined(outcomes);
                const auto name = "graph " + std::to_string(seed);
                QVERIFY2(distance(all.output, whole.output) < 2e-5, name.c_str());
                QVERIFY2(distance(all.gradients, whole.gradients) < 1e-4, name.c_str());
                QVERIFY2(distance(all.statistics, whole.statistics) < 1e-5, name.c_str());
                for (const Outcome& outcome : outcomes)
                    QVERIFY2(outcome.statistics == all.statistics, name.c_str());
            }
        }
        QVERIFY(normalised >= 40);
    }
    void replicasGiveTheSameBitsEachTime() {
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            const Batch batch(makeRandomGraph(seed), 5, seed);
            JoinedSums firstSums(2);
            JoinedSums secondSums(2);
            const auto first = batch.inParts({3, 2}, firstSums);
            const auto second = batch.inParts({3, 2}, secondSums);
            for (std::size_t i = 0; i < 2; ++i) {
                QVERIFY(first[i].output == second[i].output);
                QVERIFY(first[i].gradients == second[i].gradients);
                QVERIFY(first[i].statistics == second[i].statistics);
            }
        }
    }
    void aSynchronisedNormalizationJoinsOneSumForwardAndOneBackward() {
        GraphSketch sketch;
        const int first = sketch.dense(sketch.input({3}), 4);
        sketch.dense(sketch.normalization(first, model::BatchNormalization{}), 2);
        auto graph = sketch.take();
        JoinedSums synchronised(2);
        static_cast<void>(Batch(graph, 5, 1).inParts({3, 2}, synchronised));
        QCOMPARE(synchronised.calls(), 2);
        synchroniseAll(graph, false);
        JoinedSums own(2);
        const auto outcomes = Batch(graph, 5, 1).inParts({3, 2}, own);
        QCOMPARE(own.calls(), 0);
        QVERIFY(outcomes[0].statistics != outcomes[1].statistics);
    }
};

QTEST_GUILESS_MAIN(ProgramReplicasTest)
#include "tst_program_replicas.moc"
