// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <limits>

#include "core/data/batch_plan.h"

using namespace lockstep;
using namespace lockstep::data;

class BatchPlanTest : public QObject {
    Q_OBJECT
private slots:
    void withCopiesEveryGroupSeesEverySampleInTheSameOrder() {
        const auto plan = BatchPlan::make(100, 32, 4, 7, 2).value();  // two groups of two
        const auto alone = BatchPlan::make(100, 16, 2, 7).value();
        QCOMPARE(plan.stepsPerEpoch(), std::int64_t{7});
        QCOMPARE(plan.largestShare(), alone.largestShare());
        QCOMPARE(plan.epochOrder(3), alone.epochOrder(3));
        for (std::int64_t step = 0; step < 14; ++step) {
            QCOMPARE(plan.stepSamples(step), 2 * alone.stepSamples(step));
            for (int replica = 0; replica < 4; ++replica) {
                QCOMPARE(plan.share(step, replica).first, alone.share(step, replica % 2).first);
                QCOMPARE(plan.share(step, replica).count, alone.share(step, replica % 2).count);
            }
        }
    }
    void copiesThatDivideNeitherBatchNorReplicasAreRefused() {
        QCOMPARE(BatchPlan::make(100, 33, 4, 7, 2).error().code, ErrorCode::BadInput);
        QCOMPARE(BatchPlan::make(100, 30, 3, 7, 2).error().code, ErrorCode::BadInput);
    }
    void everyNumberOfReplicasSeesEverySampleOnceAnEpoch_data() {
        QTest::addColumn<int>("replicas");
        QTest::addColumn<int>("samples");
        QTest::addColumn<int>("batch");
        for (int replicas = 1; replicas <= 7; ++replicas)
            for (const auto& [samples, batch] :
                 {std::pair{1000, 32}, {1001, 32}, {997, 7}, {64, 64}, {5, 64}, {129, 64}})
                QTest::addRow("%d replicas, %d samples, batch %d", replicas, samples, batch)
                    << replicas << samples << batch;
    }
    void everyNumberOfReplicasSeesEverySampleOnceAnEpoch() {
        QFETCH(int, replicas);
        QFETCH(int, samples);
        QFETCH(int, batch);
        const auto plan = BatchPlan::make(static_cast<std::uint32_t>(samples),
                                          static_cast<std::uint32_t>(batch), replicas, 3);
        QVERIFY(plan.has_value());
        QCOMPARE(plan->stepsPerEpoch(), std::int64_t{(samples + batch - 1) / batch});
        const std::vector<std::uint32_t> order = plan->epochOrder(2);
        const std::int64_t firstStep = 2 * plan->stepsPerEpoch();
        std::vector<int> seen(static_cast<std::size_t>(samples));
        std::uint32_t place = 0;
        for (std::int64_t step = firstStep; step < firstStep + plan->stepsPerEpoch(); ++step) {
            std::uint32_t least = UINT32_MAX;
            std::uint32_t most = 0;
            QCOMPARE(plan->globalBatch(step).first, place);
            for (int replica = 0; replica < replicas; ++replica) {
                const SampleRange share = plan->share(step, replica);
                QCOMPARE(share.first, place);  // contiguous: together the batch of one replica
                place += share.count;
                least = std::min(least, share.count);
                most = std::max(most, share.count);
                for (std::uint32_t i = 0; i < share.count; ++i)
                    ++seen[order[share.first + i]];
            }
            QVERIFY(most - least <= 1);
            QVERIFY(most <= plan->largestShare());
            QCOMPARE(place, plan->globalBatch(step).first + plan->globalBatch(step).count);
        }
        QVERIFY(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
    }
    void howUnevenSharesAre_data() {
        QTest::addColumn<int>("samples");
        QTest::addColumn<int>("batch");
        QTest::addColumn<int>("replicas");
        QTest::addColumn<double>("unevenness");
        QTest::newRow("all alike") << 1024 << 64 << 4 << 1.0;
        QTest::newRow("a batch that does not divide") << 1300 << 13 << 4 << 4.0 / 3;
        QTest::newRow("one small batch an epoch") << 10 << 12 << 4 << 1.5;
        QTest::newRow("fewer samples than replicas")
            << 3 << 12 << 4 << std::numeric_limits<double>::infinity();
        QTest::newRow("a small last batch") << 130 << 64 << 4 << 33.0 / 32;
    }
    void howUnevenSharesAre() {
        QFETCH(const int, samples);
        QFETCH(const int, batch);
        QFETCH(const int, replicas);
        QFETCH(const double, unevenness);
        const auto plan = BatchPlan::make(static_cast<std::uint32_t>(samples),
                                          static_cast<std::uint32_t>(batch), replicas, 3);
        QCOMPARE(plan->unevenness(), unevenness);
    }
    void groupsWithFilesOfTheirOwnAreUnevenByTheirSamples() {
        constexpr double kInfinite = std::numeric_limits<double>::infinity();
        const auto unevennessOf = [](std::uint32_t first, std::uint32_t second) {
            return BatchPlan::makeSharded({{{0, first}}, {{first, second}}}, 20, 2, 3)
                ->unevenness();
        };
        QCOMPARE(unevennessOf(100, 100), 1.0);
        QCOMPARE(unevennessOf(100, 95), 100.0 / 95);
        QCOMPARE(unevennessOf(100, 90), 100.0 / 90);  // a step without samples
        QCOMPARE(unevennessOf(100, 60), kInfinite);   // four
        QCOMPARE(BatchPlan::makeSharded({{{0, 64}}}, 20, 4, 3)->unevenness(), 1.0);
    }
    void epochsAndSeedsHaveTheirOwnOrders() {
        const auto one = BatchPlan::make(500, 10, 1, 1);
        const auto two = BatchPlan::make(500, 10, 2, 2);
        const auto same = BatchPlan::make(500, 25, 4, 1);
        QVERIFY(one->epochOrder(0) != one->epochOrder(1));
        QVERIFY(one->epochOrder(0) != two->epochOrder(0));
        QCOMPARE(one->epochOrder(7), same->epochOrder(7));  // neither batch nor replicas matter
    }
    void positionsCountFromZero() {
        const auto plan = BatchPlan::make(100, 32, 2, 1);
        QCOMPARE(plan->positionOf(0).epoch, std::int64_t{0});
        QCOMPARE(plan->positionOf(3).stepInEpoch, std::int64_t{3});
        QCOMPARE(plan->positionOf(4).epoch, std::int64_t{1});
        QCOMPARE(plan->positionOf(4).stepInEpoch, std::int64_t{0});
        QCOMPARE(plan->globalBatch(3).count, 4U);
    }
    void whatCannotTrainIsRefused() {
        QCOMPARE(BatchPlan::make(0, 32, 1, 1).error().code, ErrorCode::BadInput);
        QCOMPARE(BatchPlan::make(10, 3, 4, 1).error().code, ErrorCode::BadInput);
        QCOMPARE(BatchPlan::make(10, 3, 0, 1).error().code, ErrorCode::BadInput);
    }
};

QTEST_GUILESS_MAIN(BatchPlanTest)
#include "tst_batch_plan.moc"
