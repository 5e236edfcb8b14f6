// SPDX-License-Identifier: Apache-2.0
// The promises of the training step: N replicas train as one does, and all hold the same bits.
#include <QtTest>
#include <cmath>
#include <cstring>

#include "tests/core/train/small_job.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::tests;

namespace {

using Hosts = std::vector<std::vector<int>>;
using collective::TransportChoice;

/// Every outcome is there and every replica holds the bits of the first.
std::string problemOf(const RunResult& result) {
    for (std::size_t replica = 0; replica < result.outcomes.size(); ++replica) {
        const auto name = "replica " + std::to_string(replica);
        const auto& outcome = result.outcomes[replica];
        if (!outcome) return name + ": " + outcome.error().message;
        if (outcome->stateHash != result.outcomes[0]->stateHash) return name + ": other hash";
        const auto& mine = result.parameters[replica];
        const auto& first = result.parameters[0];
        if (mine.size() != first.size() ||
            std::memcmp(mine.data(), first.data(), mine.size() * sizeof(float)) != 0)
            return name + ": other parameters";
    }
    return {};
}

RunResult runOn(const SmallJob& small, Hosts hosts, std::int64_t steps = 0,
                TransportChoice transport = TransportChoice::Auto) {
    Spread spread;
    spread.hosts = std::move(hosts);
    spread.totalSteps = steps;
    spread.transport = transport;
    return trainSmall(small, spread);
}

double largestDifference(const std::vector<double>& losses, const std::vector<double>& reference,
                         std::size_t steps) {
    double largest = 0;
    for (std::size_t i = 0; i < steps; ++i)
        largest = std::max(largest, std::abs(losses[i] / reference[i] - 1));
    return largest;
}

}  // namespace

class ReplicaLoopTest : public QObject {
    Q_OBJECT

    std::unique_ptr<SmallJob> small_;   ///< 100 steps of 32 in an epoch, none left over.
    std::unique_ptr<SmallJob> uneven_;  ///< 7 steps of 16 and one of 1.

private slots:
    void initTestCase() {
        small_ = std::make_unique<SmallJob>(smallSpec({32}), smallDigits(3200, 100, 100));
        auto spec = smallSpec({16});
        spec.training.globalBatchSize = 16;
        uneven_ = std::make_unique<SmallJob>(spec, smallDigits(113, 10, 10));
    }

    void manyReplicasTrainAsOneDoes() {
        auto spec = smallSpec({256, 256});
        spec.training.epochs = 2;
        const SmallJob guide(spec, small_->data);
        const auto one = runOn(guide, {{1}});
        QCOMPARE(problemOf(one), std::string());
        QCOMPARE(one.losses.size(), std::size_t{200});
        QVERIFY(one.losses.back() < 0.5 * one.losses.front());
        for (const int replicas : {2, 4}) {
            const auto many = runOn(guide, {{replicas}});
            QCOMPARE(problemOf(many), std::string());
            QCOMPARE(many.losses.size(), std::size_t{200});
            const double first10 = largestDifference(many.losses, one.losses, 10);
            const double all = largestDifference(many.losses, one.losses, 200);
            QVERIFY2(first10 < 2e-6, qPrintable(QString::number(first10)));
            QVERIFY2(all < 2e-5, qPrintable(QString::number(all)));
        }
    }
    void twoRunsEndWithTheSameBits() {
        const auto first = runOn(*small_, {{2}}, 40);
        const auto second = runOn(*small_, {{2}}, 40);
        QCOMPARE(problemOf(first), std::string());
        QCOMPARE(problemOf(second), std::string());
        QCOMPARE(second.outcomes[0]->stateHash, first.outcomes[0]->stateHash);
        Spread other;
        other.hosts = {{2}};
        other.totalSteps = 40;
        other.start.seed = 2;
        QVERIFY(trainSmall(*small_, other).outcomes[0]->stateHash != first.outcomes[0]->stateHash);
    }
    void everyTransportGivesTheSameBits() {
        const auto threads = runOn(*small_, {{4}}, 30);
        QCOMPARE(problemOf(threads), std::string());
        QCOMPARE(threads.backend, std::string("local"));
        const struct {
            Hosts hosts;
            TransportChoice transport;
            const char* backend;
        } rows[] = {
            {{{1, 1, 1, 1}}, TransportChoice::Shm, "shm"},
            {{{2, 2}}, TransportChoice::Auto, "shm"},
            {{{1, 1, 1, 1}}, TransportChoice::Gloo, "gloo"},
            {{{1}, {1}, {1}, {1}}, TransportChoice::Auto, "gloo"},
        };
        for (const auto& row : rows) {
            const auto result = runOn(*small_, row.hosts, 30, row.transport);
            QCOMPARE(problemOf(result), std::string());
            QCOMPARE(result.backend, std::string(row.backend));
            QCOMPARE(result.outcomes[0]->stateHash, threads.outcomes[0]->stateHash);
        }
    }
    void twoHostsOfTwoAgreeHoweverTheirReplicasAreGrouped() {
        const auto first = runOn(*small_, {{2}, {2}}, 30);
        const auto second = runOn(*small_, {{1, 1}, {1, 1}}, 30);
        const auto third = runOn(*small_, {{1, 1}, {1, 1}}, 30, TransportChoice::Gloo);
        for (const auto* result : {&first, &second, &third}) {
            QCOMPARE(problemOf(*result), std::string());
            QCOMPARE(result->outcomes[0]->stateHash, first.outcomes[0]->stateHash);
        }
        QCOMPARE(second.backend, std::string("shm+gloo"));
    }
    void anUnevenLastBatchIsWeightedBySamples() {
        const auto one = runOn(*uneven_, {{1}});
        QCOMPARE(problemOf(one), std::string());
        QCOMPARE(one.losses.size(), std::size_t{8});
        QCOMPARE(one.outcomes[0]->train.samples, 113.0);
        for (const int replicas : {2, 3}) {
            const auto many = runOn(*uneven_, {{replicas}});
            QCOMPARE(problemOf(many), std::string());
            QCOMPARE(many.outcomes[0]->train.samples, 113.0);
            QCOMPARE(many.outcomes[0]->samplesTrained, 113.0);
            const double difference = largestDifference(many.losses, one.losses, 8);
            QVERIFY2(difference < 2e-6, qPrintable(QString::number(difference)));
        }
    }
    void aReplicaWithAnEmptyShareRecordsNoLossAndKeepsStep() {
        const auto result = runOn(*uneven_, {{3}});  // the last batch has one sample
        QCOMPARE(problemOf(result), std::string());
        int without = 0;
        for (const auto& records : result.records) {
            const wire::StepBatch& steps = records.front().steps();
            QCOMPARE(steps.loss_size(), 8);
            for (int step = 0; step < 7; ++step)
                QVERIFY(std::isfinite(steps.loss(step)));
            without += steps.without_samples_size();
            QCOMPARE(steps.without_samples_size() == 1, std::isnan(steps.loss(7)));
            if (steps.without_samples_size() == 1) QCOMPARE(steps.without_samples(0), 7U);
        }
        QCOMPARE(without, 2);
    }
    void everyOptimizerTrainsTheSameOnManyReplicas() {
        for (const double momentum : {0.0, 0.9}) {
            auto spec = smallSpec({16});
            spec.training.optimizer = config::OptimizerKind::Sgd;
            spec.training.learningRate = 0.05;
            spec.training.momentum = momentum;
            const SmallJob sgd(spec, small_->data);
            const auto one = runOn(sgd, {{1}}, 50);
            const auto many = runOn(sgd, {{1, 1}}, 50);
            QCOMPARE(problemOf(many), std::string());
            QVERIFY(largestDifference(many.losses, one.losses, 50) < 2e-5);
        }
    }

    void everyStepIsRecorded() {
        const auto result = runOn(*small_, {{2}}, 60);
        for (std::size_t replica = 0; replica < 2; ++replica) {
            QCOMPARE(result.records[replica].size(), std::size_t{1});
            const wire::StepBatch& steps = result.records[replica].front().steps();
            QCOMPARE(steps.first_step(), std::uint64_t{1});
            QCOMPARE(steps.loss_size(), 60);
            for (int i = 0; i < 60; ++i) {
                QVERIFY(steps.accuracy(i) >= 0 && steps.accuracy(i) <= 1);
                const float phases = steps.data_us(i) + steps.forward_us(i) + steps.backward_us(i) +
                                     steps.all_reduce_us(i) + steps.update_us(i);
                QVERIFY(steps.forward_us(i) > 0 && steps.backward_us(i) > 0);
                QVERIFY(phases <= steps.step_us(i) * 1.001F);
            }
            const auto& progress = result.progress[replica];
            QCOMPARE(progress.step, std::uint64_t{60});
            QCOMPARE(progress.phase, wire::PHASE_DONE);
            QVERIFY(progress.collectivePoints >= 120);  // a bucket and an end a step
            // Whoever stands still in one is known by those who are done with it.
            QVERIFY(progress.share.number > 0);
            QCOMPARE(progress.share.number, result.progress[0].share.number);
            QCOMPARE(result.outcomes[replica]->stepMilliseconds.size(), std::size_t{60});
        }
    }
    void theChiefTellsHowTheRunGoes() {
        auto spec = smallSpec({16});
        spec.training.epochs = 2;
        spec.checkpoint.everySteps = 150;
        const SmallJob twice(spec, small_->data);
        RecordedEvents events;
        Spread spread;
        spread.hosts = {{2}};
        spread.events = &events;
        const auto result = trainSmall(twice, spread);
        QCOMPARE(problemOf(result), std::string());
        QVERIFY((events.states ==
                 std::vector<wire::RunState>{wire::RUN_STATE_TRAINING, wire::RUN_STATE_VALIDATING,
                                             wire::RUN_STATE_TRAINING, wire::RUN_STATE_VALIDATING,
                                             wire::RUN_STATE_TESTING}));
        QCOMPARE(events.checkpoints, (std::vector<std::int64_t>{150, 200}));
        QCOMPARE(events.epochs.size(), std::size_t{2});
        QCOMPARE(events.epochs[1].epoch(), 2U);
        QCOMPARE(events.epochs[1].step(), std::uint64_t{200});
        const TrainingOutcome& outcome = *result.outcomes[1];
        QCOMPARE(events.epochs[1].train_loss(), outcome.train.loss());
        QCOMPARE(events.epochs[1].validation_accuracy(), outcome.validation->accuracy());
        QVERIFY(events.epochs[1].train_loss() < events.epochs[0].train_loss());
        QCOMPARE(outcome.train.samples, 3200.0);
        QCOMPARE(outcome.samplesTrained, 6400.0);
        QCOMPARE(outcome.test->samples, 100.0);
        QVERIFY(outcome.trainSeconds > 0);
    }
    void replicasScoreASplitTogetherAsOneDoes() {
        const auto one = runOn(*small_, {{1}}, 100);
        const auto many = runOn(*small_, {{3}}, 100);
        QCOMPARE(many.outcomes[0]->test->samples, 100.0);
        QCOMPARE(many.outcomes[2]->test->lossSum, many.outcomes[0]->test->lossSum);
        QVERIFY(std::abs(many.outcomes[0]->test->loss() / one.outcomes[0]->test->loss() - 1) <
                1e-4);
        QVERIFY(
            std::abs(many.outcomes[0]->validation->loss() / one.outcomes[0]->validation->loss() -
                     1) < 1e-4);
    }
    void aJobWithoutValidationHasNone() {
        auto data = small_->data;
        data.validation = digitsFrom(0, 0);
        const SmallJob without(smallSpec({16}), data);
        RecordedEvents events;
        Spread spread;
        spread.events = &events;
        const auto result = trainSmall(without, spread);
        QCOMPARE(problemOf(result), std::string());
        QVERIFY(!result.outcomes[0]->validation);
        QVERIFY(!events.epochs.front().has_validation());
    }
};

QTEST_GUILESS_MAIN(ReplicaLoopTest)
#include "tst_replica_loop.moc"
