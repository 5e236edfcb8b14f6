// SPDX-License-Identifier: Apache-2.0
// Running statistics of batch normalisations, from the first step to a checkpoint and back.
#include <QtTest>
#include <cmath>

#include "core/model/description/read_description.h"
#include "core/train/checkpoints/state_tensors.h"
#include "tests/core/train/small_job.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace {

/// Hosts of processes of replicas.
using Hosts = std::vector<std::vector<int>>;

config::JobSpec convolutional(bool synchronized) {
    const std::string text = std::string(R"(layers = [
        { type = "conv2d", filters = 4, kernel_size = 3, strides = 4, use_bias = false },
        { type = "batch_normalization", momentum = 0.8, synchronized = )") +
                             (synchronized ? "true" : "false") + R"(, activation = "relu" },
        { type = "global_average_pooling2d" },
        { type = "dropout", rate = 0.25 },
        { type = "dense", units = "classes" },
    ])";
    auto spec = smallSpec({});
    const auto reading = model::readDescription(config::parseToml(text).value());
    for (const model::Problem& problem : reading.problems)
        qWarning("%s", model::sentenceOf(problem).c_str());
    spec.model = {.isDescribed = true, .description = reading.description};
    spec.checkpoint.everySteps = 4;
    return spec;
}

/// 101 samples: each epoch ends with a batch of five, of which some replicas have none.
data::Dataset oddDigits() {
    return smallDigits(101, 40, 40);
}

struct Saved {
    std::map<std::int64_t, checkpoint::LoadedCheckpoint> byStep;
    RunResult result{1};
};

Saved trained(const config::JobSpec& spec, Hosts hosts, std::int64_t steps,
              const checkpoint::LoadedCheckpoint* from = nullptr) {
    const SmallJob small(spec, oddDigits());
    Saved saved;
    RecordedEvents events;
    events.onCheckpoint = [&saved](const checkpoint::Snapshot& snapshot) {
        checkpoint::LoadedCheckpoint copy;
        copy.state = snapshot.state;
        for (const auto& tensor : snapshot.model)
            copy.model.push_back(
                {tensor.name, tensor.shape, {tensor.values.begin(), tensor.values.end()}});
        for (const auto& tensor : snapshot.optimizer)
            copy.optimizer.push_back(
                {tensor.name, tensor.shape, {tensor.values.begin(), tensor.values.end()}});
        copy.format = checkpoint::kCheckpointFormat;
        saved.byStep[snapshot.state.step] = std::move(copy);
    };
    Spread spread{
        .hosts = std::move(hosts), .start = {.seed = 1}, .totalSteps = steps, .events = &events};
    if (from != nullptr) {
        spread.start.step = from->state.step;
        spread.start.checkpoint = *from;
    }
    saved.result = trainSmall(small, spread);
    return saved;
}

const std::vector<float>& tensorOf(const Saved& saved, std::int64_t step, const std::string& name) {
    for (const auto& tensor : saved.byStep.at(step).model)
        if (tensor.name == name) return tensor.values;
    qFatal("no tensor %s", name.c_str());
}

double largestDifference(const std::vector<float>& a, const std::vector<float>& b) {
    double largest = a.size() == b.size() && !a.empty() ? 0 : 1e9;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        largest =
            std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    return largest;
}

constexpr const char* kMean = "layers.1.running_mean";
constexpr const char* kVariance = "layers.1.running_var";

}  // namespace

class StatisticsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { flushDenormals(); }

    void replicasKeepTheStatisticsOfOne_data() {
        QTest::addColumn<Hosts>("hosts");
        QTest::newRow("threads") << Hosts{{3}};
        QTest::newRow("processes that share memory") << Hosts{{1, 2}};
        QTest::newRow("hosts") << Hosts{{1}, {1}, {1}};
        QTest::newRow("hosts with several") << Hosts{{2}, {1, 1}};
        QTest::newRow("more replicas than the last batch has samples") << Hosts{{7}};
    }
    void replicasKeepTheStatisticsOfOne() {
        QFETCH(Hosts, hosts);
        const auto one = trained(convolutional(true), {{1}}, 8);
        const auto many = trained(convolutional(true), hosts, 8);
        for (const auto& outcome : many.result.outcomes)
            QVERIFY2(outcome, outcome ? "" : outcome.error().message.c_str());
        QCOMPARE(many.result.losses.size(), one.result.losses.size());
        for (std::size_t i = 0; i < one.result.losses.size(); ++i)
            QVERIFY(std::abs(many.result.losses[i] - one.result.losses[i]) < 1e-4);
        QVERIFY(largestDifference(tensorOf(one, 8, kMean), tensorOf(many, 8, kMean)) < 1e-5);
        QVERIFY(largestDifference(tensorOf(one, 8, kVariance), tensorOf(many, 8, kVariance)) <
                1e-5);
        QVERIFY(largestDifference(tensorOf(one, 4, kMean), tensorOf(one, 8, kMean)) > 1e-6);
        const auto& test = many.result.outcomes.back()->test;
        QVERIFY(test && one.result.outcomes[0]->test);
        QVERIFY(std::abs(test->loss() - one.result.outcomes[0]->test->loss()) < 1e-4);
    }
    void aResumeGoesOnWithTheStatisticsOfItsCheckpoint_data() {
        QTest::addColumn<Hosts>("hosts");
        QTest::newRow("as before") << Hosts{{2}};
        QTest::newRow("on other replicas") << Hosts{{1}, {2}};
    }
    void aResumeGoesOnWithTheStatisticsOfItsCheckpoint() {
        QFETCH(Hosts, hosts);
        const auto whole = trained(convolutional(true), {{2}}, 8);
        const auto resumed = trained(convolutional(true), hosts, 8, &whole.byStep.at(4));
        const double allowed = hosts == Hosts{{2}} ? 0 : 1e-5;
        for (const char* name : {kMean, kVariance, "layers.0.weight", "layers.4.bias"})
            QVERIFY(largestDifference(tensorOf(whole, 8, name), tensorOf(resumed, 8, name)) <=
                    allowed);
        if (allowed == 0)
            QCOMPARE(resumed.result.outcomes[0]->stateHash, whole.result.outcomes[0]->stateHash);
    }
    void statisticsOfReplicasAloneAreAveragedForACheckpoint() {
        const auto many = trained(convolutional(false), {{2}, {1}}, 8);
        for (const auto& outcome : many.result.outcomes)
            QVERIFY2(outcome, outcome ? "" : outcome.error().message.c_str());
        QCOMPARE(many.result.outcomes[2]->stateHash, many.result.outcomes[0]->stateHash);
        const auto one = trained(convolutional(false), {{1}}, 8);
        QVERIFY(largestDifference(tensorOf(one, 8, kVariance), tensorOf(many, 8, kVariance)) < 0.1);
        QVERIFY(largestDifference(tensorOf(one, 8, kVariance), tensorOf(many, 8, kVariance)) > 0);
    }
};

QTEST_GUILESS_MAIN(StatisticsTest)
#include "tst_statistics.moc"
