// SPDX-License-Identifier: Apache-2.0
// The promises of a mesh: replicas that share the tensors of one network train as one replica
// does, to the same bits on every transport, and go on from checkpoints on any other mesh.
#include <QtTest>
#include <cmath>
#include <cstring>

#include "core/model/description/read_description.h"
#include "core/model/mesh/mesh_price.h"
#include "tests/core/train/mesh_job.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::tests;

namespace {

using Hosts = std::vector<std::vector<int>>;
using Rules = std::vector<model::LayoutRule>;
using collective::TransportChoice;

/// Columns, rows and a tensor that is gathered: all ways at once.
Rules allWays() {
    return {{"layers.0.weight", "out"},
            {"layers.1.weight", "in"},
            {"layers.1.bias", "out"},
            {"layers.2.weight", "in"}};
}

config::JobSpec convolutions() {
    auto spec = smallSpec({});
    const std::string text =
        "layers = ["
        "{ type = \"conv2d\", name = \"c1\", filters = 8, kernel_size = 3, strides = 2, use_bias = "
        "false },"
        "{ type = \"batch_normalization\", name = \"n1\" }, { type = \"activation\", activation = "
        "\"relu\" },"
        "{ type = \"conv2d\", name = \"c2\", filters = 8, kernel_size = 3, activation = \"relu\" },"
        "{ type = \"conv2d\", name = \"c3\", filters = 8, kernel_size = 3 },"
        "{ type = \"batch_normalization\", name = \"n3\" },"
        "{ type = \"max_pooling2d\" }, { type = \"flatten\" },"
        "{ type = \"dense\", name = \"d\", units = 10 }]";
    const auto reading = model::readDescription(config::parseToml(text).value());
    spec.model = {.isDescribed = true, .description = reading.description};
    return spec;
}

std::string problemOf(const RunResult& result) {
    for (std::size_t replica = 0; replica < result.outcomes.size(); ++replica) {
        const auto& outcome = result.outcomes[replica];
        if (!outcome) return std::to_string(replica) + ": " + outcome.error().message;
        if (outcome->stateHash != result.outcomes[0]->stateHash)
            return std::to_string(replica) + ": other hash";
    }
    return {};
}

double largestDifference(const std::vector<double>& losses, const std::vector<double>& reference) {
    if (losses.size() != reference.size()) return 1e9;
    double largest = 0;
    for (std::size_t i = 0; i < losses.size(); ++i)
        largest = std::max(largest, std::abs(losses[i] / reference[i] - 1));
    return largest;
}

RunResult onMesh(const SmallJob& small, Hosts hosts, int members, const Rules& rules = allWays(),
                 TransportChoice transport = TransportChoice::Auto, RunEvents* events = nullptr,
                 const StartPoint& start = {.seed = 1}) {
    MeshSpread spread;
    spread.hosts = std::move(hosts);
    spread.members = members;
    spread.rules = rules;
    spread.transport = transport;
    spread.events = events;
    spread.start = start;
    return trainOnMesh(small, spread);
}

RunResult onOne(const SmallJob& small) {
    Spread spread;
    return trainSmall(small, spread);
}

/// A checkpoint's tensors, copied out of what the run hands over for a moment.
checkpoint::LoadedCheckpoint copyOf(const checkpoint::Snapshot& snapshot) {
    checkpoint::LoadedCheckpoint loaded;
    loaded.state = snapshot.state;
    loaded.format = checkpoint::kCheckpointFormat;
    const auto copy = [](const std::vector<checkpoint::TensorRef>& from,
                         std::vector<checkpoint::Tensor>& to) {
        for (const checkpoint::TensorRef& tensor : from)
            to.push_back({tensor.name, tensor.shape,
                          std::vector<float>(tensor.values.begin(), tensor.values.end())});
    };
    copy(snapshot.model, loaded.model);
    copy(snapshot.optimizer, loaded.optimizer);
    return loaded;
}

}  // namespace

class MeshTrainingTest : public QObject {
    Q_OBJECT

    std::unique_ptr<SmallJob> small_;  ///< Two epochs of 50 steps.
    std::unique_ptr<SmallJob> long_;   ///< The same with four.
    RunResult one_{1};                 ///< Of the long one.

private slots:
    void initTestCase() {
        auto spec = smallSpec({32, 24});
        spec.training.epochs = 2;
        spec.training.globalClipNorm = 0.5;
        spec.checkpoint.everySteps = 30;
        small_ = std::make_unique<SmallJob>(spec, smallDigits(1600, 130, 100));
        spec.training.epochs = 4;
        long_ = std::make_unique<SmallJob>(spec, small_->data);
        one_ = onOne(*long_);
        QCOMPARE(problemOf(one_), std::string());
    }

    void everyMeshTrainsAsOneReplicaDoes_data() {
        QTest::addColumn<int>("processes");
        QTest::addColumn<int>("members");
        QTest::addRow("1 x 2") << 2 << 2;
        QTest::addRow("2 x 1") << 2 << 1;
        QTest::addRow("2 x 2") << 4 << 2;
        QTest::addRow("1 x 4") << 4 << 4;
    }
    void everyMeshTrainsAsOneReplicaDoes() {
        QFETCH(const int, processes);
        QFETCH(const int, members);
        const auto many =
            onMesh(*long_, {std::vector<int>(static_cast<std::size_t>(processes), 1)}, members);
        QCOMPARE(problemOf(many), std::string());
        QCOMPARE(many.losses.size(), std::size_t{200});
        // Whoever stands still is known by its fewer points: the rows' must be comparable.
        for (const auto& progress : many.progress) {
            QCOMPARE(progress.collectivePoints, many.progress[0].collectivePoints);
            QCOMPARE(progress.share.number, many.progress[0].share.number);
        }
        const double difference = largestDifference(many.losses, one_.losses);
        qInfo("largest difference of a loss: %.2g", difference);
        QVERIFY(difference < 1e-5);
        const TrainingOutcome& mine = *many.outcomes[0];
        QVERIFY(std::abs(mine.validation->loss() / one_.outcomes[0]->validation->loss() - 1) <
                1e-5);
        QVERIFY(std::abs(mine.test->loss() / one_.outcomes[0]->test->loss() - 1) < 1e-5);
        QCOMPARE(mine.train.samples, one_.outcomes[0]->train.samples);
    }

    void everyTransportAndEveryRunGivesTheSameBits() {
        const auto first = onMesh(*small_, {{1, 1, 1, 1}}, 2);
        QCOMPARE(problemOf(first), std::string());
        QCOMPARE(first.backend, std::string("shm"));
        const std::string hash = first.outcomes[0]->stateHash;
        const auto again = onMesh(*small_, {{1, 1, 1, 1}}, 2);
        QCOMPARE(again.outcomes[0]->stateHash, hash);
        const auto gloo = onMesh(*small_, {{1, 1, 1, 1}}, 2, allWays(), TransportChoice::Gloo);
        QCOMPARE(problemOf(gloo), std::string());
        QCOMPARE(gloo.backend, std::string("gloo"));
        QCOMPARE(gloo.outcomes[0]->stateHash, hash);
        const auto hosts = onMesh(*small_, {{1, 1}, {1, 1}}, 2);
        QCOMPARE(problemOf(hosts), std::string());
        QCOMPARE(hosts.outcomes[0]->stateHash, hash);
        const auto threads = onMesh(*small_, {{2, 2}}, 2);
        QCOMPARE(problemOf(threads), std::string());
        QCOMPARE(threads.outcomes[0]->stateHash, hash);
    }

    /// Over a network each member adds a piece and hands it on; in memory each adds all of it.
    void largeSumsByPiecesGiveTheSameBits() {
        auto spec = smallSpec({64, 512});
        spec.training.globalBatchSize = 30;  // a member's pieces are not equal
        const SmallJob wide(spec, smallDigits(120, 30, 30));
        const std::vector<model::LayoutRule> rules{{"layers.0.weight", "out"},
                                                   {"layers.1.weight", "in"}};
        QVERIFY(model::addsByPieces(4, std::int64_t{30} * 512));
        const auto shared = onMesh(wide, {{1, 1, 1, 1}}, 4, rules);
        QCOMPARE(problemOf(shared), std::string());
        for (const Hosts& hosts : {Hosts{{1, 1, 1, 1}}, Hosts{{1, 1}, {2}}, Hosts{{1}, {2}, {1}}}) {
            const auto gloo =
                onMesh(wide, hosts, 4, rules,
                       hosts.size() == 1 ? TransportChoice::Gloo : TransportChoice::Auto);
            QCOMPARE(problemOf(gloo), std::string());
            QVERIFY(gloo.backend.ends_with("gloo"));
            QCOMPARE(gloo.outcomes[0]->stateHash, shared.outcomes[0]->stateHash);
        }
    }

    /// Sums go host by host: what all members have whole would drift apart.
    void hostsThatPartTheColumnsDifferentlyAreRefused() {
        for (const Hosts& hosts : {Hosts{{1, 1, 1}, {1, 1, 1}}, Hosts{{1, 1, 1}, {1}}}) {
            const std::string problem = problemOf(onMesh(*small_, hosts, 2));
            QVERIFY2(problem.find("the hosts part the columns of the mesh") != std::string::npos,
                     problem.c_str());
        }
    }

    void aRunGoesOnFromACheckpointOnAnotherMesh() {
        RecordedEvents events;
        std::optional<checkpoint::LoadedCheckpoint> middle;
        events.onCheckpoint = [&middle](const checkpoint::Snapshot& snapshot) {
            if (snapshot.state.step == 60) middle = copyOf(snapshot);
        };
        const auto whole = onMesh(*small_, {{1, 1}}, 2, allWays(), TransportChoice::Auto, &events);
        QCOMPARE(problemOf(whole), std::string());
        QVERIFY(middle.has_value());
        QCOMPARE(middle->model.size(), small_->network.tensors().size());
        StartPoint start{.step = 60, .seed = 1};
        start.epochSoFar = {.lossSum = middle->state.epochLossSum,
                            .correct = middle->state.epochCorrect,
                            .samples = middle->state.epochSamples,
                            .rows = 0,
                            .metrics = middle->state.epochMetrics};
        start.checkpoint = middle;
        const auto same =
            onMesh(*small_, {{1, 1}}, 2, allWays(), TransportChoice::Auto, nullptr, start);
        QCOMPARE(problemOf(same), std::string());
        QCOMPARE(same.outcomes[0]->stateHash, whole.outcomes[0]->stateHash);
        QCOMPARE(same.outcomes[0]->train.samples, whole.outcomes[0]->train.samples);
        for (const int members : {1, 4}) {
            const auto other = onMesh(*small_, {{1, 1, 1, 1}}, members, allWays(),
                                      TransportChoice::Auto, nullptr, start);
            QCOMPARE(problemOf(other), std::string());
            const std::vector<double> rest(whole.losses.begin() + 60, whole.losses.end());
            const double difference = largestDifference(other.losses, rest);
            QVERIFY2(difference < 1e-5, std::to_string(difference).c_str());
        }
    }

    /// Convolutions by filters and by channels, normalised with the batch's statistics, which are
    /// parts, too, where the channels are.
    void convolutionsWithBatchNormalisationTrainAsOnOneReplica_data() {
        QTest::addColumn<int>("processes");
        QTest::addColumn<int>("members");
        QTest::addRow("1 x 2") << 2 << 2;
        QTest::addRow("2 x 2") << 4 << 2;
        QTest::addRow("1 x 4") << 4 << 4;
    }
    void convolutionsWithBatchNormalisationTrainAsOnOneReplica() {
        QFETCH(const int, processes);
        QFETCH(const int, members);
        const SmallJob small(convolutions(), smallDigits(320, 60, 40));
        const Rules rules{
            {"c1.weight", "out"}, {"c2.weight", "in"}, {"c3.weight", "out"}, {"d.weight", "in"}};
        const auto one = onOne(small);
        const auto many = onMesh(small, {std::vector<int>(static_cast<std::size_t>(processes), 1)},
                                 members, rules);
        QCOMPARE(problemOf(one), std::string());
        QCOMPARE(problemOf(many), std::string());
        QCOMPARE(many.losses.size(), std::size_t{10});
        const double difference = largestDifference(many.losses, one.losses);
        qInfo("largest difference of a loss in 10 steps: %.2g", difference);
        QVERIFY(difference < 1e-5);
        const double validation = many.outcomes[0]->validation->loss();
        // After ten steps that differ by rounding, each of which a normalisation multiplies.
        QVERIFY(std::abs(validation / one.outcomes[0]->validation->loss() - 1) < 1e-4);
    }

    void theBestWeightsComeBackToAllMembers() {
        auto spec = small_->job;
        spec.checkpoint.keepBest = true;
        spec.earlyStopping.monitor = config::Monitor::TrainLoss;
        spec.earlyStopping.mode = config::MonitorMode::Max;  // the first epoch's is the best
        spec.earlyStopping.patience = 5;
        const SmallJob small(spec, small_->data);
        RecordedEvents events;
        std::map<std::int64_t, checkpoint::LoadedCheckpoint> kept;
        events.onCheckpoint = [&kept](const checkpoint::Snapshot& snapshot) {
            kept[snapshot.state.step] = copyOf(snapshot);
        };
        events.onBest = [&kept](std::int64_t step) -> Result<checkpoint::LoadedCheckpoint> {
            return kept.at(step);
        };
        const auto result =
            onMesh(small, {{1, 1, 1, 1}}, 2, allWays(), TransportChoice::Auto, &events);
        QCOMPARE(problemOf(result), std::string());
        for (const auto& outcome : result.outcomes)
            QCOMPARE(outcome->restoredStep, std::int64_t{50});
        // Members of a column hold the same part, and it is that of step 50.
        QCOMPARE(result.parameters[0], result.parameters[2]);
        QCOMPARE(result.parameters[1], result.parameters[3]);
        const auto& first = kept.at(50).model.front();
        QCOMPARE(result.parameters[0].front(), first.values.front());
    }

    void aLossThatIsNoNumberIsLeftOutByAll() {
        auto spec = small_->job;
        spec.training.terminateOnNan = false;
        spec.training.learningRate = 1e30;
        spec.training.optimizer = config::OptimizerKind::Sgd;
        spec.training.globalClipNorm = 0;
        const SmallJob small(spec, small_->data);
        MeshSpread spread;
        spread.hosts = {{1, 1}};
        spread.rules = allWays();
        spread.totalSteps = 4;
        const auto result = trainOnMesh(small, spread);
        QCOMPARE(problemOf(result), std::string());
        for (const auto& outcome : result.outcomes)
            QCOMPARE(outcome->skippedSteps, std::int64_t{3});  // all behind the first
    }

    void aStopOfAnyReplicaEndsAllAfterTheSameStep() {
        MeshSpread spread;
        spread.hosts = {{1, 1, 1, 1}};
        spread.rules = allWays();
        RecordedEvents events;
        events.onState = [&spread](wire::RunState state) {
            if (state == wire::RUN_STATE_TRAINING) spread.stopRequested[3] = true;
        };
        spread.events = &events;
        const auto result = trainOnMesh(*small_, spread);
        QCOMPARE(problemOf(result), std::string());
        for (const auto& outcome : result.outcomes) {
            QVERIFY(outcome->stopped);
            QCOMPARE(outcome->step, result.outcomes[0]->step);
        }
        QVERIFY(result.outcomes[0]->step < 100);
    }
};

QTEST_GUILESS_MAIN(MeshTrainingTest)
#include "tst_mesh_training.moc"
