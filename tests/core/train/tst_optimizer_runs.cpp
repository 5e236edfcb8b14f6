// SPDX-License-Identifier: Apache-2.0
// Decay, clipping and schedules in whole runs: on any number of replicas, and resumed.
#include <QtTest>
#include <cmath>

#include "core/train/checkpoints/state_tensors.h"
#include "tests/core/train/small_job.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::tests;

namespace {

using Hosts = std::vector<std::vector<int>>;

config::JobSpec clipped(double globalNorm, double norm) {
    auto spec = smallSpec({32});
    spec.training.globalClipNorm = globalNorm;
    spec.training.clipNorm = norm;
    spec.training.optimizer = config::OptimizerKind::Sgd;
    spec.training.learningRate = 0.05;
    return spec;
}

RunResult runOn(const SmallJob& small, Hosts hosts, std::int64_t steps) {
    Spread spread;
    spread.hosts = std::move(hosts);
    spread.totalSteps = steps;
    return trainSmall(small, spread);
}

bool allAgree(const RunResult& result) {
    return std::ranges::all_of(result.outcomes, [&](const auto& outcome) {
        return outcome && outcome->stateHash == result.outcomes[0]->stateHash;
    });
}

double largestDifference(const std::vector<float>& a, const std::vector<float>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest =
            std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    return largest;
}

std::vector<checkpoint::Tensor> owned(const std::vector<checkpoint::TensorRef>& refs) {
    std::vector<checkpoint::Tensor> tensors;
    for (const checkpoint::TensorRef& ref : refs)
        tensors.push_back({ref.name, ref.shape, {ref.values.begin(), ref.values.end()}});
    return tensors;
}

}  // namespace

class OptimizerRunsTest : public QObject {
    Q_OBJECT

    const data::Dataset data_ = smallDigits(640, 20, 20);

private slots:
    void clippedNormsAreThoseOfOneReplicaOnAnyNumber() {
        const SmallJob free(clipped(0, 0), data_);
        const auto unclipped = runOn(free, {{1}}, 30);
        for (const auto& spec : {clipped(0.5, 0), clipped(0, 0.2)}) {
            const SmallJob small(spec, data_);
            const auto one = runOn(small, {{1}}, 30);
            QVERIFY(allAgree(one));
            QVERIFY(largestDifference(one.parameters[0], unclipped.parameters[0]) > 1e-3);
            for (const Hosts& hosts : {Hosts{{2}}, Hosts{{1, 1, 1}}, Hosts{{2}, {1}}}) {
                const auto many = runOn(small, hosts, 30);
                QVERIFY(allAgree(many));
                QVERIFY(largestDifference(many.parameters[0], one.parameters[0]) < 2e-6);
            }
        }
    }
    void hostsThatHoldTheSameSharesClipAsOneHostDoes() {
        const SmallJob small(clipped(0.5, 0), data_);
        const auto together = runOn(small, {{2}}, 20);
        const auto apart = runOn(small, {{1}, {1}}, 20);
        QVERIFY(allAgree(apart));
        QVERIFY(together.parameters[0] == apart.parameters[0]);
    }
    void everyRuleTrainsTheSameOnManyReplicas() {
        using Kind = config::OptimizerKind;
        for (const Kind kind : {Kind::AdamW, Kind::RmsProp, Kind::Sgd}) {
            auto spec = smallSpec({16});
            spec.training.optimizer = kind;
            spec.training.momentum = kind == Kind::Sgd ? 0.9 : 0;
            spec.training.nesterov = kind == Kind::Sgd;
            spec.training.learningRate = 0.002;
            spec.training.weightDecay = 0.1;
            spec.training.weightDecayOn = config::DecayOn::Matrices;
            const SmallJob small(spec, data_);
            const auto one = runOn(small, {{1}}, 30);
            const auto many = runOn(small, {{1, 1}}, 30);
            QVERIFY(allAgree(one));
            QVERIFY(allAgree(many));
            for (std::size_t i = 0; i < 30; ++i)
                QVERIFY(std::abs(many.losses[i] / one.losses[i] - 1) < 1e-4);
        }
    }
    void aRunResumedInMidScheduleHasTheBitsOfTheUndisturbedOne() {
        auto spec = smallSpec({16});
        spec.training.optimizer = config::OptimizerKind::Lion;
        spec.training.beta2 = config::kLionBeta2;
        spec.training.globalClipNorm = 0.5;
        spec.training.schedule = {.kind = config::ScheduleKind::Cosine,
                                  .initialLearningRate = 0.0,
                                  .decaySteps = 25,
                                  .warmupTarget = 0.01,
                                  .warmupSteps = 8};
        spec.checkpoint.everySteps = 5;
        const SmallJob small(spec, data_);
        StartPoint middle{.step = 5, .seed = 1};
        RecordedEvents events;
        events.onCheckpoint = [&](const checkpoint::Snapshot& snapshot) {
            if (snapshot.state.step != 5) return;
            middle.checkpoint.emplace();
            middle.checkpoint->state = snapshot.state;
            middle.checkpoint->model = owned(snapshot.model);
            middle.checkpoint->optimizer = owned(snapshot.optimizer);
        };
        Spread whole;
        whole.hosts = {{2}};
        whole.totalSteps = 30;
        whole.events = &events;
        const auto undisturbed = trainSmall(small, whole);
        QVERIFY(allAgree(undisturbed));
        QVERIFY(middle.checkpoint.has_value());
        QCOMPARE(middle.checkpoint->optimizer.front().name, std::string("layers.0.weight.exp_avg"));

        Spread rest;
        rest.hosts = {{2}};
        rest.totalSteps = 30;
        rest.start = middle;
        const auto resumed = trainSmall(small, rest);
        QVERIFY(allAgree(resumed));
        QCOMPARE(resumed.outcomes[0]->stateHash, undisturbed.outcomes[0]->stateHash);
    }
};

QTEST_GUILESS_MAIN(OptimizerRunsTest)
#include "tst_optimizer_runs.moc"
