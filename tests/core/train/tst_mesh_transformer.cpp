// SPDX-License-Identifier: Apache-2.0
// A small GPT on meshes: attention by heads, dense layers by columns and rows, a tied table by its
// rows, dropout by the place in the whole network; and random layouts.
#include <QtTest>
#include <cmath>

#include "core/base/rng.h"
#include "core/model/description/read_description.h"
#include "core/model/mesh/layout_words.h"
#include "tests/core/train/mesh_job.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::tests;

namespace {

using Rules = std::vector<model::LayoutRule>;

constexpr std::uint32_t kWindow = 16;
constexpr std::uint32_t kTokens = 12;

config::JobSpec tinyGpt(double dropout) {
    auto spec = smallSpec({});
    const std::string rate = std::to_string(dropout);
    const std::string text =
        "layers = ["
        "{ type = \"embedding\", name = \"wte\", input_dim = \"vocabulary\", output_dim = 16 },"
        "{ type = \"position_embedding\", name = \"wpe\", sequence_length = 16 },"
        "{ type = \"dropout\", rate = " +
        rate +
        " },"
        "{ block = \"transformer\", name = \"h\", repeat = 2 },"
        "{ type = \"layer_normalization\", name = \"ln_f\" },"
        "{ type = \"dense\", name = \"head\", units = \"vocabulary\", weights_of = \"wte\" }]\n"
        "[blocks.transformer]\nlayers = ["
        "{ residual = [{ type = \"layer_normalization\", name = \"ln_1\" },"
        "{ type = \"multi_head_attention\", name = \"attn\", num_heads = 4, causal = true, "
        "dropout = " +
        rate +
        " }] },"
        "{ residual = [{ type = \"layer_normalization\", name = \"ln_2\" },"
        "{ type = \"dense\", name = \"c_fc\", units = 32, activation = \"gelu\" },"
        "{ type = \"dropout\", rate = " +
        rate +
        " },"
        "{ type = \"dense\", name = \"c_proj\", units = 16 }] }]\n";
    const auto reading = model::readDescription(config::parseToml(text).value());
    spec.model = {.isDescribed = true, .description = reading.description};
    spec.training.optimizer = config::OptimizerKind::AdamW;
    spec.training.weightDecay = 0.01;
    spec.training.globalBatchSize = 8;
    spec.training.learningRate = 0.002;
    spec.training.globalClipNorm = 1;
    return spec;
}

std::shared_ptr<const data::Split> texts(std::uint32_t windows, std::uint64_t seed) {
    CounterRng rng(seed);
    std::vector<std::uint16_t> tokens;
    for (std::uint32_t i = 0; i < windows * kWindow + 1; ++i)
        tokens.push_back(i % kWindow < 3 ? static_cast<std::uint16_t>(rng.nextBelow(kTokens))
                                         : tokens[i - 3]);
    auto split = std::make_shared<data::Split>();
    split->count = windows;
    split->inputKind = data::InputKind::Tokens;
    split->targetKind = data::TargetKind::NextToken;
    split->shape = {kWindow};
    split->stride = kWindow;
    split->inputs = data::labelBytes(tokens);
    return split;
}

data::Dataset allTexts() {
    data::Dataset data;
    data.train = texts(200, 1);
    data.validation = texts(20, 2);
    data.test = texts(10, 3);
    data.facts = {.input = {kWindow}, .vocabulary = kTokens};
    data.fingerprint = "00112233445566778899aabbccddeeff";
    return data;
}

std::string problemOf(const RunResult& result) {
    for (const auto& outcome : result.outcomes)
        if (!outcome) return outcome.error().message;
    return {};
}

double largestDifference(const std::vector<double>& losses, const std::vector<double>& reference) {
    if (losses.size() != reference.size()) return 1e9;
    double largest = 0;
    for (std::size_t i = 0; i < losses.size(); ++i)
        largest = std::max(largest, std::abs(losses[i] / reference[i] - 1));
    return largest;
}

RunResult onMesh(const SmallJob& small, int processes, int members, const Rules& rules,
                 std::int64_t steps,
                 collective::TransportChoice transport = collective::TransportChoice::Auto) {
    MeshSpread spread;
    spread.hosts = {std::vector<int>(static_cast<std::size_t>(processes), 1)};
    spread.members = members;
    spread.rules = rules;
    spread.totalSteps = steps;
    spread.transport = transport;
    return trainOnMesh(small, spread);
}

RunResult onOne(const SmallJob& small, std::int64_t steps) {
    Spread spread;
    spread.totalSteps = steps;
    return trainSmall(small, spread);
}

Rules withVocabulary(const SmallJob& small) {
    Rules rules = model::megatronRules(small.network.graph());
    rules.push_back({"wte.weight", "vocabulary"});
    return rules;
}

}  // namespace

class MeshTransformerTest : public QObject {
    Q_OBJECT

    std::unique_ptr<SmallJob> still_;     ///< Without dropout.
    std::unique_ptr<SmallJob> dropping_;  ///< With it.

private slots:
    void initTestCase() {
        auto spec = tinyGpt(0);
        spec.training.epochs = 8;  // 200 steps
        still_ = std::make_unique<SmallJob>(spec, allTexts());
        spec = tinyGpt(0.2);
        dropping_ = std::make_unique<SmallJob>(spec, allTexts());
    }

    void thePresetCutsAttentionByHeadsAndPairsOfDenseLayers() {
        const auto& graph = still_->network.graph();
        std::map<std::string, std::string> rules;
        for (const auto& rule : model::megatronRules(graph))
            rules[rule.tensors] = rule.along;
        QCOMPARE(rules.size(), std::size_t{8});
        QCOMPARE(rules["h.0.attn.in_proj_weight"], std::string("heads"));
        QCOMPARE(rules["h.0.attn.out_proj.weight"], std::string("heads"));
        QCOMPARE(rules["h.1.c_fc.weight"], std::string("out"));
        QCOMPARE(rules["h.1.c_proj.weight"], std::string("in"));
    }

    void aTinyGptTrainsOnEveryMeshAsOnOneReplica_data() {
        QTest::addColumn<int>("processes");
        QTest::addColumn<int>("members");
        QTest::addRow("1 x 2") << 2 << 2;
        QTest::addRow("2 x 1") << 2 << 1;
        QTest::addRow("2 x 2") << 4 << 2;
        QTest::addRow("1 x 4") << 4 << 4;
    }
    void aTinyGptTrainsOnEveryMeshAsOnOneReplica() {
        QFETCH(const int, processes);
        QFETCH(const int, members);
        const auto one = onOne(*still_, 0);
        QCOMPARE(problemOf(one), std::string());
        const auto many = onMesh(*still_, processes, members, withVocabulary(*still_), 0);
        QCOMPARE(problemOf(many), std::string());
        QCOMPARE(many.losses.size(), std::size_t{200});
        const double difference = largestDifference(many.losses, one.losses);
        qInfo("largest difference of a loss in 200 steps: %.2g", difference);
        QVERIFY(one.losses.back() < 0.7 * one.losses.front());
        QVERIFY(difference < 1e-5);
    }

    void dropoutKeepsTheSameUnitsOnEveryMesh() {
        const auto one = onOne(*dropping_, 25);
        QCOMPARE(problemOf(one), std::string());
        for (const int members : {2, 4}) {
            const auto many = onMesh(*dropping_, members, members, withVocabulary(*dropping_), 25);
            QCOMPARE(problemOf(many), std::string());
            const double difference = largestDifference(many.losses, one.losses);
            QVERIFY2(difference < 1e-5, std::to_string(difference).c_str());
        }
    }

    void sharedMemoryAndGlooGiveTheSameBits() {
        const auto shm = onMesh(*dropping_, 2, 2, withVocabulary(*dropping_), 10);
        const auto gloo = onMesh(*dropping_, 2, 2, withVocabulary(*dropping_), 10,
                                 collective::TransportChoice::Gloo);
        QCOMPARE(problemOf(shm), std::string());
        QCOMPARE(problemOf(gloo), std::string());
        QCOMPARE(gloo.outcomes[0]->stateHash, shm.outcomes[0]->stateHash);
    }

    void randomLayoutsTrainAsOneReplicaOrAreRefusedForASize() {
        constexpr int kLayouts = 60;
        constexpr int kSteps = 6;
        const auto one = onOne(*dropping_, kSteps);
        const auto& graph = dropping_->network.graph();
        int trained = 0;
        for (std::uint64_t seed = 1; seed <= kLayouts; ++seed) {
            CounterRng rng(seed, 5);
            Rules rules;
            for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
                const auto words = model::wordsOf(graph, static_cast<int>(i));
                if (words.empty() || rng.nextBelow(3) == 0) continue;
                rules.push_back({graph.tensors[i].name,
                                 words[rng.nextBelow(static_cast<std::uint32_t>(words.size()))]});
            }
            // 12 tokens, 4 heads and widths of 16 and 32: three columns fit few tensors.
            const int members = seed % 12 == 0 ? 3 : 2 + 2 * static_cast<int>(seed % 2);
            const auto layout = model::layOut(graph, rules, members);
            if (!layout) {
                QVERIFY2(layout.error().message.find("cannot share") != std::string::npos,
                         layout.error().message.c_str());
                continue;
            }
            const auto many = onMesh(*dropping_, members, members, rules, kSteps);
            QVERIFY2(problemOf(many).empty(), problemOf(many).c_str());
            const double difference = largestDifference(many.losses, one.losses);
            QVERIFY2(difference < 1e-5,
                     qPrintable(QString("layout %1: %2").arg(seed).arg(difference)));
            ++trained;
        }
        qInfo("%d of %d layouts train", trained, kLayouts);
        QVERIFY(trained >= 45);
    }
};

QTEST_GUILESS_MAIN(MeshTransformerTest)
#include "tst_mesh_transformer.moc"
