// SPDX-License-Identifier: Apache-2.0
// Trainings that end by early stopping: real data, real checkpoints, any grouping of replicas.
#include <QTemporaryDir>
#include <QtTest>
#include <cstring>

#include "core/checkpoint/checkpoint_store.h"
#include "core/train/checkpoints/state_tensors.h"
#include "core/train/worker.h"
#include "tests/core/train/small_job.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::tests;

namespace {

using Store = checkpoint::CheckpointStore;

/// 10 steps an epoch, learning far too fast: the validation loss soon gets worse.
config::JobSpec hasty() {
    auto spec = smallSpec({16});
    spec.training.epochs = 30;
    spec.training.learningRate = 0.05;
    spec.checkpoint.everySteps = 7;
    spec.earlyStopping.monitor = config::Monitor::ValidationLoss;
    spec.earlyStopping.patience = 2;
    return spec;
}

/// A folder of checkpoints with its chief: retention of the two newest and the best.
struct Kept {
    QTemporaryDir temporary;
    std::filesystem::path folder{temporary.filePath("checkpoints").toStdString()};
    RecordedEvents events;
    std::shared_ptr<Store> store;

    Kept() { reopen(); }
    void reopen() {
        store.reset();
        store = std::make_shared<Store>(Store::open(folder, Store::Access::Write).value());
        events = {};
        events.onCheckpoint = [this](const checkpoint::Snapshot& snapshot) {
            if (auto done = store->commit(snapshot); !done)
                qFatal("%s", done.error().message.c_str());
            if (auto pruned = store->prune(2, snapshot.state.best.step); !pruned)
                qFatal("%s", pruned.error().message.c_str());
        };
        events.onBest = [this](std::int64_t step) { return store->load(step); };
    }
};

std::vector<float> weightsOf(const SmallJob& job, const checkpoint::LoadedCheckpoint& loaded) {
    std::vector<float> weights(job.network.parameterCount());
    if (auto restored = restoreModel(job.network, loaded, weights); !restored)
        qFatal("%s", restored.error().message.c_str());
    return weights;
}

}  // namespace

class EarlyStoppingTest : public QObject {
    Q_OBJECT

    RunResult train(const SmallJob& small, Kept& kept, std::vector<std::vector<int>> hosts,
                    bool resume = false) {
        Spread spread{.hosts = std::move(hosts), .events = &kept.events};
        if (resume) spread.start = findStart(small.job, small.data, kept.folder, true, 0).value();
        return trainSmall(small, spread);
    }
    data::Dataset data_ = smallDigits(320, 200, 100);
    SmallJob small(const config::JobSpec& spec) { return {spec, data_}; }

private slots:
    void allReplicasEndAfterTheSameEpochWithTheBestWeights() {
        const SmallJob job = small(hasty());
        std::string hash;
        for (const auto& hosts : {std::vector<std::vector<int>>{{2}}, {{1, 1}}, {{1}, {1}}}) {
            Kept kept;
            const auto result = train(job, kept, hosts);
            for (const auto& outcome : result.outcomes) {
                QVERIFY2(outcome, outcome ? "" : outcome.error().message.c_str());
                QVERIFY(!outcome->stopped && outcome->test);
                QVERIFY(outcome->stoppedEarlyAtEpoch > 2 && outcome->stoppedEarlyAtEpoch < 30);
                QCOMPARE(outcome->step, std::int64_t{10} * outcome->stoppedEarlyAtEpoch);
                QCOMPARE(outcome->bestStep, outcome->step - 20);
                QCOMPARE(outcome->restoredStep, outcome->bestStep);
                QCOMPARE(outcome->stateHash, result.outcomes[0]->stateHash);
            }
            const auto& first = *result.outcomes[0];
            QCOMPARE(kept.store->best().value(), first.bestStep);
            QCOMPARE(kept.store->latest().value(), first.step);
            const auto best = weightsOf(job, kept.store->load(first.bestStep).value());
            for (const auto& parameters : result.parameters)
                QVERIFY(parameters == best);
            // The summary speaks of the weights that the run ended with.
            const auto& epochs = kept.events.epochs;
            const auto bestEpoch = static_cast<std::size_t>(first.best.epoch);
            QCOMPARE(first.validation->loss(), epochs[bestEpoch - 1].validation_loss());
            QCOMPARE(first.best.value, epochs[bestEpoch - 1].validation_loss());
            QVERIFY(kept.events.stopSentence.starts_with("validation_loss has not got better for"));
            if (hash.empty()) hash = first.stateHash;
            QCOMPARE(first.stateHash, hash);
        }
    }
    void withoutRestoringItEndsWithItsLastWeights() {
        auto spec = hasty();
        spec.earlyStopping.restoreBest = false;
        const SmallJob job = small(spec);
        Kept kept;
        const auto result = train(job, kept, {{2}});
        const auto& outcome = result.outcomes[0].value();
        QVERIFY(outcome.stoppedEarlyAtEpoch > 0);
        QCOMPARE(outcome.restoredStep, std::int64_t{0});
        QVERIFY(result.parameters[1] == weightsOf(job, kept.store->load(outcome.step).value()));
        QVERIFY(!kept.store->best());
    }
    void theBestIsRestoredThoughTrainingWentThroughAllEpochs() {
        auto spec = hasty();
        spec.training.epochs = 5;
        spec.earlyStopping.patience = 100;
        const SmallJob job = small(spec);
        Kept kept;
        const auto result = train(job, kept, {{2}});
        const auto& outcome = result.outcomes[1].value();
        QCOMPARE(outcome.step, std::int64_t{50});
        QCOMPARE(outcome.stoppedEarlyAtEpoch, 0);
        QVERIFY(result.parameters[1] ==
                weightsOf(job, kept.store->load(kept.store->best().value()).value()));
    }
    void theBestStaysBesidesTheNewest() {
        auto spec = hasty();
        spec.earlyStopping.patience = 6;
        const SmallJob job = small(spec);
        Kept kept;
        std::int64_t best = 0;
        kept.events.onCheckpoint =
            [&best, commit = kept.events.onCheckpoint](const checkpoint::Snapshot& snapshot) {
                commit(snapshot);
                if (snapshot.isBest) best = snapshot.state.step;
            };
        const auto outcome = train(job, kept, {{1}}).outcomes[0].value();
        const auto steps = kept.store->list().value();
        QCOMPARE(steps.size(), std::size_t{3});
        QCOMPARE(steps.front(), outcome.bestStep);
        QCOMPARE(best, outcome.bestStep);
        QCOMPARE(steps.back(), outcome.step);
    }

    void aRunThatIsStoppedAnywhereResumesToTheSameEnd() {
        const SmallJob job = small(hasty());
        Kept undisturbed;
        const auto whole = train(job, undisturbed, {{1, 1}}).outcomes[0].value();
        // At the end of an epoch, amid one, and while patience is being used up.
        for (const std::int64_t stopAfter :
             {std::int64_t{7}, std::int64_t{14}, whole.step - 20, whole.step - 10}) {
            Kept kept;
            Spread spread{.hosts = {{1, 1}}, .events = &kept.events};
            kept.events.onCheckpoint =
                [&, commit = kept.events.onCheckpoint](const checkpoint::Snapshot& snapshot) {
                    commit(snapshot);
                    if (snapshot.state.step >= stopAfter) spread.stopRequested[1] = true;
                };
            const auto stopped = trainSmall(job, spread).outcomes[0].value();
            QVERIFY(stopped.stopped && stopped.step < whole.step);
            kept.reopen();
            const auto resumed = train(job, kept, {{1, 1}}, true);
            for (const auto& outcome : resumed.outcomes) {
                QVERIFY2(outcome, outcome ? "" : outcome.error().message.c_str());
                QCOMPARE(outcome->stoppedEarlyAtEpoch, whole.stoppedEarlyAtEpoch);
                QCOMPARE(outcome->bestStep, whole.bestStep);
                QCOMPARE(outcome->stateHash, whole.stateHash);
            }
            QCOMPARE(resumed.outcomes[0]->best, whole.best);
        }
    }
    void aStopIsHeardDuringValidationAndTheResumeRepeatsTheEpochsEnd() {
        for (const bool watches : {true, false}) {
            auto spec = hasty();
            spec.training.epochs = 5;
            if (!watches) spec.earlyStopping.monitor = config::Monitor::Off;
            const SmallJob job = small(spec);
            Kept undisturbed;
            const auto whole = train(job, undisturbed, {{1, 1}}).outcomes[0].value();
            for (const std::size_t epoch : {1, 2}) {
                Kept kept;
                Spread spread{.hosts = {{1, 1}}, .events = &kept.events};
                kept.events.onState = [&](wire::RunState state) {
                    if (state == wire::RUN_STATE_VALIDATING &&
                        kept.events.epochs.size() + 1 == epoch)
                        spread.stopRequested[0] = true;
                };
                const auto stopped = trainSmall(job, spread);
                for (const auto& outcome : stopped.outcomes) {
                    QVERIFY2(outcome, outcome ? "" : outcome.error().message.c_str());
                    QVERIFY(outcome->stopped && !outcome->test);
                    QCOMPARE(outcome->step, static_cast<std::int64_t>(10 * epoch));
                }
                QCOMPARE(kept.events.epochs.size(), epoch - 1);  // this one has not ended
                QCOMPARE(kept.store->latest().value(), static_cast<std::int64_t>(10 * epoch));
                kept.reopen();
                const auto resumed = train(job, kept, {{1, 1}}, true);
                for (const auto& outcome : resumed.outcomes) {
                    QVERIFY2(outcome, outcome ? "" : outcome.error().message.c_str());
                    QCOMPARE(outcome->stateHash, whole.stateHash);
                    QCOMPARE(outcome->step, whole.step);
                }
                QCOMPARE(kept.events.epochs.front().epoch(), static_cast<std::uint32_t>(epoch));
                QCOMPARE(kept.events.epochs.front().train_loss(),
                         undisturbed.events.epochs[epoch - 1].train_loss());
                QCOMPARE(kept.events.epochs.front().validation_loss(),
                         undisturbed.events.epochs[epoch - 1].validation_loss());
            }
        }
    }
    void aStopIsHeardDuringTheTestAndTheResumeTestsAgain() {
        auto spec = hasty();
        spec.training.epochs = 2;
        const SmallJob job = small(spec);
        Kept undisturbed;
        const auto whole = train(job, undisturbed, {{2}}).outcomes[0].value();
        Kept kept;
        Spread spread{.hosts = {{2}}, .events = &kept.events};
        kept.events.onState = [&](wire::RunState state) {
            if (state == wire::RUN_STATE_TESTING) spread.stopRequested[0] = true;
        };
        const auto stopped = trainSmall(job, spread);
        for (const auto& outcome : stopped.outcomes)
            QVERIFY(outcome.value().stopped && !outcome->test && outcome->step == 20);
        kept.reopen();
        const auto resumed = train(job, kept, {{2}}, true).outcomes[1].value();
        QCOMPARE(resumed.stateHash, whole.stateHash);
        QVERIFY(!resumed.stopped && resumed.test);
        QCOMPARE(resumed.test->lossSum, whole.test->lossSum);
    }
    void theTrainingLossOfAnEpochThatWasCutInTwoDecidesForAll() {
        auto spec = hasty();
        spec.earlyStopping.monitor = config::Monitor::TrainLoss;
        spec.earlyStopping.patience = 1;
        const SmallJob job = small(spec);
        Kept undisturbed;
        const auto whole = train(job, undisturbed, {{1}, {1}}).outcomes[0].value();
        Kept kept;
        Spread spread{.hosts = {{1}, {1}}, .events = &kept.events};
        kept.events.onCheckpoint =
            [&, commit = kept.events.onCheckpoint](const checkpoint::Snapshot& snapshot) {
                commit(snapshot);
                if (snapshot.state.step == 14) spread.stopRequested[0] = true;
            };
        QVERIFY(trainSmall(job, spread).outcomes[0].value().stopped);
        kept.reopen();
        const auto resumed = train(job, kept, {{1}, {1}}, true);
        QCOMPARE(resumed.outcomes[1].value().stateHash, whole.stateHash);
        QCOMPARE(resumed.outcomes[1]->step, whole.step);
    }
    void aRunThatStoppedEarlyHasNothingLeftToTrain() {
        const SmallJob job = small(hasty());
        Kept kept;
        const auto first = train(job, kept, {{2}}).outcomes[0].value();
        kept.reopen();
        const auto again = train(job, kept, {{2}}, true).outcomes[0].value();
        QCOMPARE(again.stateHash, first.stateHash);
        QCOMPARE(again.step, first.step);
        QCOMPARE(again.stoppedEarlyAtEpoch, first.stoppedEarlyAtEpoch);
        QVERIFY(again.stepMilliseconds.empty() && kept.events.checkpoints.empty());
        // With more patience it goes on.
        auto patient = hasty();
        patient.earlyStopping.patience = 4;
        const SmallJob more = small(patient);
        kept.reopen();
        QVERIFY(train(more, kept, {{2}}, true).outcomes[0].value().step > first.step);
    }
    void bestWeightsThatAreGoneAreSaidAndTheRunEndsWithItsLast() {
        const SmallJob job = small(hasty());
        Kept kept;
        kept.events.onBest = [](std::int64_t) -> Result<checkpoint::LoadedCheckpoint> {
            return fail(ErrorCode::Corrupt, "model.safetensors is damaged");
        };
        const auto result = train(job, kept, {{1, 1}});
        for (const auto& outcome : result.outcomes) {
            QVERIFY2(outcome, outcome ? "" : outcome.error().message.c_str());
            QCOMPARE(outcome->restoredStep, std::int64_t{0});
            QVERIFY(outcome->bestStep > 0 && outcome->stoppedEarlyAtEpoch > 0);
        }
        QVERIFY(result.parameters[1] ==
                weightsOf(job, kept.store->load(result.outcomes[0]->step).value()));
        QCOMPARE(kept.events.notices.size(), std::size_t{1});
        QVERIFY(kept.events.notices[0].starts_with("the best weights, of step ") &&
                kept.events.notices[0].ends_with(
                    "model.safetensors is damaged; the run ends with its last weights"));
    }
    void theBestWeightsOnDiskStandInForThoseThatAreNot() {
        const SmallJob job = small(hasty());
        Kept kept;
        kept.events.onBest = [&kept](std::int64_t) {
            return kept.store->load(kept.store->latest().value());
        };
        const auto result = train(job, kept, {{1, 1}});
        const auto outcome = result.outcomes[1].value();
        QCOMPARE(outcome.restoredStep, outcome.step);
        QVERIFY(outcome.bestStep < outcome.step);
        QCOMPARE(kept.events.notices.size(), std::size_t{1});
        QVERIFY(kept.events.notices[0].ends_with("the best that are, of step " +
                                                 std::to_string(outcome.step)));
    }
    void theLastCheckpointIsKnownToBeTheLast() {
        const SmallJob job = small(hasty());
        Kept kept;
        const auto outcome = train(job, kept, {{1}}).outcomes[0].value();
        QCOMPARE(kept.events.lastCheckpoint, outcome.step);
    }
    void aCheckpointSaysWhoWroteItAndOfWhatModel() {
        const SmallJob job = small(hasty());
        Kept kept;
        const auto outcome = train(job, kept, {{1}}).outcomes[0].value();
        const auto state = kept.store->load(outcome.step).value().state;
        QCOMPARE(state.buildId, std::string(buildId()));
        QVERIFY(!state.buildId.empty());
        QCOMPARE(state.model, std::string("dense 16 relu, dense 10 linear"));
    }
};

QTEST_GUILESS_MAIN(EarlyStoppingTest)
#include "tst_early_stopping.moc"
