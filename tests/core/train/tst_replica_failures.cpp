// SPDX-License-Identifier: Apache-2.0
// How a training ends early: on request, by a loss that is not a number, by a kill; and how it
// goes on afterwards.
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

#include "core/checkpoint/checkpoint_store.h"
#include "tests/core/train/small_job.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::tests;

namespace {

using Store = checkpoint::CheckpointStore;

SmallJob threeEpochs() {
    auto spec = smallSpec({16});
    spec.training.epochs = 3;
    spec.checkpoint.everySteps = 7;
    return {spec, smallDigits(320, 40, 40)};  // 10 steps an epoch
}

/// Commits every snapshot of the run to `folder`.
RecordedEvents committingTo(const std::filesystem::path& folder) {
    RecordedEvents events;
    auto store = std::make_shared<Store>(Store::open(folder, Store::Access::Write).value());
    events.onCheckpoint = [store](const checkpoint::Snapshot& snapshot) {
        if (auto committed = store->commit(snapshot); !committed)
            qFatal("%s", committed.error().message.c_str());
    };
    return events;
}

/// What is killed: trains, commits, and dies by SIGKILL when step 21 is to be committed.
int dieInTheMiddle(const std::filesystem::path& folder) {
    const SmallJob small = threeEpochs();
    auto events = committingTo(folder);
    events.onCheckpoint = [commit = events.onCheckpoint](const checkpoint::Snapshot& snapshot) {
        if (snapshot.state.step == 21) ::raise(SIGKILL);
        commit(snapshot);
    };
    Spread spread{.hosts = {{1, 1}}, .events = &events};
    trainSmall(small, spread);
    return 0;
}

}  // namespace

class ReplicaFailuresTest : public QObject {
    Q_OBJECT

    RunResult resumeFrom(const std::filesystem::path& folder, const SmallJob& small,
                         RunEvents* events) {
        Spread spread{.hosts = {{1, 1}}, .events = events};
        spread.start = findStart(small.job, small.data, folder, true, 0).value();
        return trainSmall(small, spread);
    }
    std::string undisturbedHash(const SmallJob& small) {
        Spread spread{.hosts = {{1, 1}}};
        return trainSmall(small, spread).outcomes[0].value().stateHash;
    }

private slots:
    void aStopEndsAllReplicasAfterTheSameStepWithACheckpoint() {
        const SmallJob small = threeEpochs();
        RecordedEvents events;
        Spread spread{.hosts = {{2, 2}}, .events = &events};
        events.onCheckpoint = [&](const checkpoint::Snapshot& snapshot) {
            if (snapshot.state.step == 14) spread.stopRequested[3] = true;
        };
        const auto result = trainSmall(small, spread);
        QVERIFY2(result.outcomes[0],
                 result.outcomes[0] ? "" : result.outcomes[0].error().message.c_str());
        const auto step = result.outcomes[0]->step;
        QVERIFY(step == 15 || step == 16);  // replica 3 may have begun step 15 already
        for (const auto& outcome : result.outcomes) {
            QVERIFY(outcome && outcome->stopped);
            QCOMPARE(outcome->step, step);
            QCOMPARE(outcome->stateHash, result.outcomes[0]->stateHash);
            QVERIFY(!outcome->test);
        }
        QCOMPARE(events.checkpoints, (std::vector<std::int64_t>{7, 14, step}));
    }
    void aStopBeforeTheValidationLeavesItToTheResume() {
        auto small = threeEpochs();
        small.job.checkpoint.everySteps = 9;
        RecordedEvents events;
        Spread spread{.events = &events};
        events.onCheckpoint = [&](const checkpoint::Snapshot& snapshot) {
            if (snapshot.state.step == 9) spread.stopRequested[0] = true;
        };
        const auto result = trainSmall(small, spread);
        const auto& outcome = result.outcomes[0].value();
        QVERIFY(outcome.stopped);
        QCOMPARE(outcome.step, std::int64_t{10});
        QCOMPARE(outcome.train.samples, 320.0);
        QVERIFY(!outcome.validation);
        QVERIFY(events.checkpoints.back() == 10);
    }
    void aStopBeforeTheTestLeavesItToTheResume() {
        const SmallJob small = threeEpochs();
        RecordedEvents events;
        Spread spread{.totalSteps = 8, .events = &events};
        events.onCheckpoint = [&](const checkpoint::Snapshot&) { spread.stopRequested[0] = true; };
        const auto result = trainSmall(small, spread);
        QVERIFY(result.outcomes[0].value().stopped);
        QVERIFY(!result.outcomes[0]->test);
        QCOMPARE(events.checkpoints, (std::vector<std::int64_t>{7, 8}));
    }

    void aLossThatIsNotANumberEndsAllAndLeavesNoBadCheckpoint() {
        auto spec = smallSpec({16});
        spec.training.optimizer = config::OptimizerKind::Sgd;
        spec.training.learningRate = 1e37;
        spec.training.globalBatchSize = 8;
        spec.training.epochs = 5;
        spec.checkpoint.everySteps = 1;
        const SmallJob small(spec, smallDigits(9, 0, 4));  // step 2 has one sample
        RecordedEvents events;
        std::vector<bool> finite;
        events.onCheckpoint = [&](const checkpoint::Snapshot& snapshot) {
            for (const checkpoint::TensorRef& tensor : snapshot.model)
                finite.push_back(std::all_of(tensor.values.begin(), tensor.values.end(),
                                             [](float value) { return std::isfinite(value); }));
        };
        Spread spread{.hosts = {{1, 1}}, .events = &events};
        const auto result = trainSmall(small, spread);
        int diverged = 0;
        for (const auto& outcome : result.outcomes) {
            QVERIFY(!outcome);
            if (outcome.error().code == ErrorCode::Diverged) {
                ++diverged;
                const QByteArray text = QByteArray::fromStdString(outcome.error().message);
                QVERIFY2(text.startsWith("the loss became ") && text.contains("at step 2"), text);
                QVERIFY(!outcome.error().remedy.empty());
            } else {
                QCOMPARE(outcome.error().code, ErrorCode::PeerLost);
            }
        }
        QCOMPARE(diverged, 1);  // the other had no sample in that step
        QCOMPARE(events.checkpoints, (std::vector<std::int64_t>{1}));
        QVERIFY(std::count(finite.begin(), finite.end(), false) == 0);
        for (const auto& records : result.records)
            QCOMPARE(records.front().steps().loss_size(), 1);
    }
    void stepsWhoseLossIsNotANumberAreLeftOutByAllWhereThatIsAskedFor() {
        auto spec = smallSpec({16});
        spec.training.optimizer = config::OptimizerKind::Sgd;
        spec.training.learningRate = 1e37;
        spec.training.globalBatchSize = 8;
        spec.training.epochs = 3;
        spec.training.terminateOnNan = false;
        const SmallJob small(spec, smallDigits(9, 0, 4));  // two steps an epoch
        RecordedEvents events;
        std::int64_t written = 0;
        events.onCheckpoint = [&](const checkpoint::Snapshot& snapshot) {
            written = snapshot.state.skippedSteps;
        };
        Spread one{.hosts = {{1, 1}}, .totalSteps = 1};
        const auto first = trainSmall(small, one);
        Spread spread{.hosts = {{1, 1}}, .events = &events};
        const auto result = trainSmall(small, spread);
        for (std::size_t replica = 0; replica < 2; ++replica) {
            const auto& outcome = result.outcomes[replica];
            QVERIFY2(outcome, outcome ? "" : outcome.error().message.c_str());
            QCOMPARE(outcome->step, std::int64_t{6});
            QCOMPARE(outcome->skippedSteps, std::int64_t{5});  // the first step ruined the weights
            QVERIFY(result.parameters[replica] == first.parameters[0]);
        }
        QCOMPARE(written, std::int64_t{5});
        QCOMPARE(events.notices,
                 (std::vector<std::string>{
                     "step 2 was left out: a loss was not a number; training goes on, because "
                     "training.terminate_on_nan is false",
                     "5 of 6 steps were left out, because a loss was not a number"}));
        QVERIFY(std::isfinite(events.epochs.front().train_loss()));
        QCOMPARE(result.outcomes[1]->stateHash, result.outcomes[0]->stateHash);
    }
    void weightsThatAreNotFiniteAreNeverACheckpoint() {
        auto spec = smallSpec({16});
        spec.training.optimizer = config::OptimizerKind::Sgd;
        spec.training.learningRate = 1e38;
        spec.training.momentum = 0.9;
        const SmallJob small(spec, smallDigits(8, 0, 4));
        RecordedEvents events;
        Spread spread{.start = {.seed = 1}, .totalSteps = 1, .events = &events};
        // Weights from which one step overflows: all else is an ordinary run.
        checkpoint::LoadedCheckpoint huge;
        std::vector<float> parameters(small.network.parameterCount());
        small.network.initialise(parameters, 1);
        for (const program::PlacedTensor& tensor : small.network.tensors()) {
            std::vector<std::int64_t> shape(tensor.shape.begin(), tensor.shape.end());
            const auto values = std::span(parameters).subspan(tensor.offset, tensor.size());
            huge.model.push_back({tensor.name, shape, {values.begin(), values.end()}});
            std::vector<float> velocity(tensor.size(), 3.4e38F);
            huge.optimizer.push_back({tensor.name + ".momentum_buffer", shape, velocity});
        }
        huge.model.back().values.assign(10, 3e38F);  // equal biases: the loss stays finite
        spread.start.checkpoint = std::move(huge);
        const auto result = trainSmall(small, spread);
        QVERIFY(!result.outcomes[0]);
        QCOMPARE(result.outcomes[0].error().code, ErrorCode::Diverged);
        QVERIFY(result.outcomes[0].error().message.find("weights are not finite after step 1") !=
                std::string::npos);
        QVERIFY(events.checkpoints.empty());
    }
    void aReplicaThatGivesUpTakesTheOthersWithIt() {
        const SmallJob small = threeEpochs();
        RecordedEvents events;
        Spread spread{.hosts = {{2, 1}}, .events = &events};
        events.onCheckpoint = [&](const checkpoint::Snapshot&) { spread.chief->abort(); };
        const auto result = trainSmall(small, spread);
        for (const auto& outcome : result.outcomes) {
            QVERIFY(!outcome);
            QCOMPARE(outcome.error().code, ErrorCode::PeerLost);
        }
    }

    void aKilledRunResumesToTheVeryBitsOfAnUndisturbedOne() {
        const QTemporaryDir temporary;
        QProcess victim;
        victim.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        victim.start(QCoreApplication::applicationFilePath(), {"--victim", temporary.path()});
        QVERIFY(victim.waitForFinished(30'000));
        QCOMPARE(victim.exitStatus(), QProcess::CrashExit);

        const SmallJob small = threeEpochs();
        const std::filesystem::path folder = temporary.path().toStdString();
        auto events = committingTo(folder);
        const auto resumed = resumeFrom(folder, small, &events);
        QCOMPARE(events.checkpoints, (std::vector<std::int64_t>{21, 28, 30}));
        QCOMPARE(resumed.records[0].front().steps().first_step(), std::uint64_t{15});
        QCOMPARE(resumed.outcomes[0].value().stateHash, undisturbedHash(small));
        QCOMPARE(resumed.outcomes[1].value().stateHash, resumed.outcomes[0]->stateHash);
    }
    void aStoppedRunResumesToTheVeryBitsToo() {
        const QTemporaryDir temporary;
        const std::filesystem::path folder = temporary.path().toStdString();
        const SmallJob small = threeEpochs();
        {
            auto events = committingTo(folder);
            Spread spread{.hosts = {{1, 1}}, .events = &events};
            events.onCheckpoint =
                [&, commit = events.onCheckpoint](const checkpoint::Snapshot& snapshot) {
                    commit(snapshot);
                    spread.stopRequested[0] = true;
                };
            QCOMPARE(trainSmall(small, spread).outcomes[0].value().step, std::int64_t{8});
        }
        auto events = committingTo(folder);
        const auto resumed = resumeFrom(folder, small, &events);
        QCOMPARE(resumed.outcomes[0].value().stateHash, undisturbedHash(small));

        // The epoch that was cut in two is scored as a whole.
        RecordedEvents undisturbed;
        Spread spread{.hosts = {{1, 1}}, .events = &undisturbed};
        QVERIFY(trainSmall(small, spread).outcomes[0].has_value());
        QCOMPARE(events.epochs.size(), undisturbed.epochs.size());
        QCOMPARE(events.epochs[0].train_loss(), undisturbed.epochs[0].train_loss());
        QCOMPARE(events.epochs[0].train_accuracy(), undisturbed.epochs[0].train_accuracy());
    }
    void aRunThatWasCompleteHasNothingLeftToTrain() {
        const QTemporaryDir temporary;
        const std::filesystem::path folder = temporary.path().toStdString();
        const SmallJob small = threeEpochs();
        std::string hash;
        {
            auto events = committingTo(folder);
            Spread spread{.hosts = {{1, 1}}, .events = &events};
            hash = trainSmall(small, spread).outcomes[0].value().stateHash;
        }
        auto events = committingTo(folder);
        const auto resumed = resumeFrom(folder, small, &events);
        const auto& outcome = resumed.outcomes[0].value();
        QCOMPARE(outcome.stateHash, hash);
        QCOMPARE(outcome.step, std::int64_t{30});
        QVERIFY(!outcome.stopped && outcome.test && outcome.stepMilliseconds.empty());
        QVERIFY(events.checkpoints.empty());
    }
};

int main(int argc, char** argv) {
    ignoreSigpipe();
    if (argc == 3 && std::string_view(argv[1]) == "--victim") return dieInTheMiddle(argv[2]);
    QCoreApplication app(argc, argv);
    ReplicaFailuresTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_replica_failures.moc"
