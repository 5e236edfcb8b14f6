// SPDX-License-Identifier: Apache-2.0
// Whole runs of recurrent layers: they learn what lies steps back, on any number of replicas, and
// resumed.
#include <QtTest>
#include <cmath>
#include <map>

#include "core/base/rng.h"
#include "core/model/description/read_description.h"
#include "tests/core/train/small_job.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::tests;

namespace {

using Hosts = std::vector<std::vector<int>>;

constexpr std::uint32_t kWindow = 12;
constexpr std::uint32_t kPeriod = 3;
constexpr std::uint32_t kTokens = 4;

config::JobSpec recurrent(const char* type, const std::string& options) {
    auto spec = smallSpec({});
    const std::string layers =
        "layers = [{ type = \"embedding\", input_dim = \"vocabulary\", output_dim = 6 }, { type = "
        "\"" +
        std::string(type) + "\", units = 20, return_sequences = true" + options +
        " }, { units = \"vocabulary\" }]";
    const auto reading = model::readDescription(config::parseToml(layers).value());
    spec.model = {.isDescribed = true, .description = reading.description};
    spec.training.learningRate = 0.02;
    return spec;
}

/// Windows that begin with a few tokens of chance and repeat them: who has no memory cannot tell
/// what comes next.
std::shared_ptr<const data::Split> repeating(std::uint32_t windows, std::uint64_t seed) {
    CounterRng rng(seed);
    std::vector<std::uint16_t> tokens;
    for (std::uint32_t i = 0; i < windows * kWindow + 1; ++i)
        tokens.push_back(i % kWindow < kPeriod ? static_cast<std::uint16_t>(rng.nextBelow(kTokens))
                                               : tokens[i - kPeriod]);
    auto split = std::make_shared<data::Split>();
    split->count = windows;
    split->inputKind = data::InputKind::Tokens;
    split->targetKind = data::TargetKind::NextToken;
    split->shape = {kWindow};
    split->stride = kWindow;
    split->inputs = data::labelBytes(tokens);
    return split;
}

data::Dataset texts() {
    data::Dataset data;
    data.train = repeating(301, 1);
    data.validation = repeating(43, 2);
    data.test = repeating(20, 3);
    data.facts = {.input = {kWindow}, .vocabulary = kTokens};
    data.preparation = R"({"kind": "text", "tokenizer": "characters", "characters": "abcd"})";
    data.fingerprint = "00112233445566778899aabbccddeeff";
    return data;
}

struct Trained {
    std::vector<double> losses;
    std::vector<float> parameters;
    std::map<std::int64_t, checkpoint::LoadedCheckpoint> checkpoints;
};

Trained trained(const config::JobSpec& spec, const Hosts& hosts,
                const checkpoint::LoadedCheckpoint* from = nullptr) {
    const SmallJob small(spec, texts());
    Trained trained;
    RecordedEvents events;
    events.onCheckpoint = [&](const checkpoint::Snapshot& snapshot) {
        checkpoint::LoadedCheckpoint& copy = trained.checkpoints[snapshot.state.step];
        copy.state = snapshot.state;
        for (const auto& [part, to] : {std::pair{&snapshot.model, &copy.model},
                                       std::pair{&snapshot.optimizer, &copy.optimizer}})
            for (const auto& tensor : *part)
                to->push_back(
                    {tensor.name, tensor.shape, {tensor.values.begin(), tensor.values.end()}});
        copy.format = checkpoint::kCheckpointFormat;
    };
    Spread spread;
    spread.hosts = hosts;
    spread.events = &events;
    if (from != nullptr) {
        spread.start.step = from->state.step;
        spread.start.checkpoint = *from;
    }
    RunResult result = trainSmall(small, spread);
    for (const auto& outcome : result.outcomes)
        if (!outcome) qWarning("%s", outcome.error().message.c_str());
    trained.losses = result.losses;
    trained.parameters = std::move(result.parameters[0]);
    return trained;
}

double largestDifference(const std::vector<float>& a, const std::vector<float>& b) {
    if (a.size() != b.size() || a.empty()) return 1e9;
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest =
            std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    return largest;
}

}  // namespace

class RecurrentTrainingTest : public QObject {
    Q_OBJECT
private slots:
    void whatLiesStepsBackIsLearnt_data() {
        QTest::addColumn<QString>("type");
        QTest::newRow("lstm") << "lstm";
        QTest::newRow("gru") << "gru";
    }
    void whatLiesStepsBackIsLearnt() {
        QFETCH(QString, type);
        auto spec = recurrent(qPrintable(type), "");
        spec.training.epochs = 20;
        const Trained done = trained(spec, {{1}});
        QVERIFY(done.losses.size() > 100);
        // Without a memory ln 4 of chance is the best there is; with one, that of the first tokens
        // of a window: a quarter of it.
        const double chance = std::log(kTokens);
        QVERIFY(done.losses.front() > 0.95 * chance);
        QVERIFY2(done.losses.back() < 0.5 * chance,
                 qPrintable(QString::number(done.losses.back())));
    }
    void replicasTrainWhatOneDoes_data() { whatLiesStepsBackIsLearnt_data(); }
    void replicasTrainWhatOneDoes() {
        QFETCH(QString, type);
        auto spec = recurrent(qPrintable(type), ", dropout = 0.2");
        spec.training.epochs = 4;
        const Trained one = trained(spec, {{1}});
        for (const Hosts& hosts : {Hosts{{2}}, Hosts{{1, 1}, {2}}}) {
            const Trained more = trained(spec, hosts);
            QCOMPARE(more.losses.size(), one.losses.size());
            for (std::size_t i = 0; i < one.losses.size(); ++i)
                QVERIFY(std::abs(one.losses[i] - more.losses[i]) < 2e-5);
            QVERIFY(largestDifference(one.parameters, more.parameters) < 1e-4);
        }
    }
    void aResumeWithinAnEpochEndsWithTheSameBits() {
        auto spec = recurrent("lstm", ", dropout = 0.2");
        spec.training.epochs = 3;
        spec.checkpoint.everySteps = 13;  // 10 steps an epoch
        const Trained whole = trained(spec, {{2}});
        const Trained resumed = trained(spec, {{2}}, &whole.checkpoints.at(13));
        QVERIFY(!whole.parameters.empty() && whole.parameters == resumed.parameters);
    }
    void theSecondBiasOfAnLstmStaysAsItWas() {
        auto spec = recurrent("lstm", "");
        spec.training.epochs = 1;
        const Trained done = trained(spec, {{1}});
        const SmallJob small(spec, texts());
        for (const program::PlacedTensor& tensor : small.network.tensors()) {
            const auto values = tensor.in(std::span<const float>(done.parameters));
            const bool isZero = std::ranges::all_of(values, [](float value) { return value == 0; });
            QCOMPARE(isZero, tensor.name == "layers.1.bias_hh_l0");
        }
    }
};

QTEST_GUILESS_MAIN(RecurrentTrainingTest)
#include "tst_recurrent_training.moc"
