// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <array>
#include <set>

#include "core/base/rng.h"
#include "core/collective/communicator.h"
#include "core/collective/host_segment.h"
#include "core/collective/sum.h"
#include "core/collective/topology.h"

using namespace lockstep;
using namespace lockstep::collective;

namespace {

constexpr std::size_t kFloat = sizeof(float);

bool coversFromTheEnd(const std::vector<Range>& buckets, std::size_t parameters) {
    std::size_t end = parameters;
    for (const Range& bucket : buckets) {
        if (bucket.end != end || bucket.begin > bucket.end) return false;
        end = bucket.begin;
    }
    return end == 0;
}

/// What AMD's first-level cache guesses a way by (Lipp et al., "Take A Way", 2020, for Zen).
std::uint64_t guessedWay(const void* address) {
    constexpr std::array<std::pair<int, int>, 8> kFolded{
        {{12, 27}, {13, 26}, {14, 25}, {15, 20}, {16, 21}, {17, 22}, {18, 23}, {19, 24}}};
    const auto bits = reinterpret_cast<std::uintptr_t>(address);
    std::uint64_t folded = 0;
    for (const auto& [low, high] : kFolded)
        folded = folded * 2 + (((bits >> low) ^ (bits >> high)) & 1);
    return folded;
}

}  // namespace

class BucketsAndTopologyTest : public QObject {
    Q_OBJECT
private slots:
    void smallLayersShareABucketFromTheLastOn() {
        const std::vector<std::size_t> layers{0, 10, 20, 30};
        const auto buckets = planBuckets(layers, 40, 20 * kFloat);
        QCOMPARE(buckets, (std::vector<Range>{{20, 40}, {0, 20}}));
    }
    void aLayerIsCutOnlyWhenItIsLargerThanABucket() {
        const std::vector<std::size_t> layers{0, 5, 30, 38};
        const auto buckets = planBuckets(layers, 40, 10 * kFloat);
        QCOMPARE(buckets, (std::vector<Range>{{30, 40}, {20, 30}, {10, 20}, {5, 10}, {0, 5}}));
    }
    void aModelWithoutParametersHasOneEmptyBucket() {
        QCOMPARE(planBuckets({}, 0), (std::vector<Range>{{0, 0}}));
    }
    void everyPlanCoversAllWithinTheLimit() {
        CounterRng rng(3);
        for (int round = 0; round < 500; ++round) {
            std::vector<std::size_t> layers;
            std::size_t parameters = 0;
            for (std::uint32_t layer = rng.nextBelow(8); layer > 0; --layer) {
                layers.push_back(parameters);
                parameters += rng.nextBelow(100);
            }
            const std::size_t limit = 1 + rng.nextBelow(150);
            const auto buckets = planBuckets(layers, parameters, limit * kFloat);
            QVERIFY(coversFromTheEnd(buckets, parameters));
            for (const Range& bucket : buckets)
                QVERIFY(bucket.size() <= limit);
        }
    }

    void sharesCoverTheBucketAndMeetBetweenCacheLines() {
        for (const Range bucket : {Range{0, 0}, Range{3, 5}, Range{7, 1000}, Range{32, 64}}) {
            for (int count = 1; count <= 9; ++count) {
                std::size_t begin = bucket.begin;
                for (int index = 0; index < count; ++index) {
                    const Range share = shareOf(bucket, index, count);
                    QCOMPARE(share.begin, begin);
                    QVERIFY(share.end == bucket.end || share.end % 16 == 0);
                    begin = share.end;
                }
                QCOMPARE(begin, bucket.end);
            }
        }
    }

    // The update reads and writes four arrays side by side: it took 155 us instead of 76 where
    // their lines looked alike to the cache (the guide's network: 269,328 floats).
    void arraysOfTheUpdateDoNotLookAlikeToTheCache_data() {
        QTest::addColumn<quint64>("parameters");
        for (const quint64 parameters :
             {1, 1024, 1025, 16'384, 269'328, 269'824, 1'200'000, 4'000'000})
            QTest::addRow("%llu", parameters) << parameters;
    }
    void arraysOfTheUpdateDoNotLookAlikeToTheCache() {
        QFETCH(const quint64, parameters);
        SegmentShape shape;
        shape.parameters = parameters;
        shape.moments = 2;
        shape.replicas = {0};
        shape.processes = {0};
        const auto segment =
            HostSegment::open(shape, SteadyClock::read() + std::chrono::seconds(10));
        QVERIFY(segment);
        HostSegment& memory = **segment;
        std::set<std::uint64_t> ways;
        for (const auto array :
             {memory.sums(), memory.parameters(), memory.moments(0), memory.moments(1)})
            ways.insert(guessedWay(array.data()));
        QCOMPARE(ways.size(), 4U);
    }

    void rowsAreAddedHostByHost() {
        // In float, 1e8 + 1 is 1e8: the order shows in the result.
        const std::vector<float> big(5000, 1e8F);
        const std::vector<float> small(5000, 1.0F);
        const std::vector<float> negative(5000, -1e8F);
        std::vector<float> sum(5000);
        sumRows(sum.data(), {{big.data(), small.data(), negative.data()}}, sum.size());
        QCOMPARE(sum, std::vector<float>(5000, 0.0F));
        sumRows(sum.data(), {{big.data(), negative.data()}, {small.data()}}, sum.size());
        QCOMPARE(sum, std::vector<float>(5000, 1.0F));
        sumRows(sum.data(), {{small.data()}, {big.data(), negative.data()}}, sum.size());
        QCOMPARE(sum, std::vector<float>(5000, 1.0F));
    }

    void replicasAreNumberedThroughTheProcesses() {
        const Topology topology{{{1, 2}, {0, 1}, {1, 3}}, 0};
        QCOMPARE(topology.replicaCount(), 6);
        QCOMPARE(topology.replica(2, 1), 4);
        QCOMPARE(topology.processOf(2), 1);
        QCOMPARE(topology.processOf(5), 2);
        QCOMPARE(topology.hosts(), (std::vector<int>{0, 1}));
        QCOMPARE(topology.replicasOfHost(1), (std::vector<int>{0, 1, 3, 4, 5}));
        QCOMPARE(topology.leaderOfHost(1), 0);
        QCOMPARE(topology.replicasOfProcess(2), (std::vector<int>{3, 4, 5}));
    }
    void aTopologyThatCannotBeIsRefused() {
        QVERIFY(!Topology{}.check());
        QVERIFY(!(Topology{{{0, 0}}, 0}.check()));
        QVERIFY(!(Topology{{{0, 1}}, 1}.check()));
        QVERIFY((Topology{{{0, 1}}, 0}.check()));
    }
};

QTEST_GUILESS_MAIN(BucketsAndTopologyTest)
#include "tst_buckets_and_topology.moc"
