// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <numeric>

#include "core/config/job/job_spec.h"
#include "core/data/batch_plan.h"

using namespace lockstep;
using namespace lockstep::data;

namespace {

std::vector<std::uint32_t> inOrder(std::uint32_t samples) {
    std::vector<std::uint32_t> order(samples);
    std::iota(order.begin(), order.end(), 0U);
    return order;
}

std::string textOf(const std::vector<SampleRange>& ranges) {
    std::string text;
    for (const SampleRange& range : ranges)
        text += std::to_string(range.first) + "+" + std::to_string(range.count) + " ";
    return text;
}

}  // namespace

class SampleOrderTest : public QObject {
    Q_OBJECT

private slots:
    void aBufferOfOneLeavesTheOrder() {
        QCOMPARE(sampleOrder(100, 7, 3, {.buffer = 1}), inOrder(100));
    }

    void aBufferOfAllIsEveryOrderAlike() {
        for (const std::uint32_t buffer : {0U, 100U, 101U})
            QCOMPARE(sampleOrder(100, 7, 3, {.buffer = buffer}), sampleOrder(100, 7, 3));
    }

    void noSampleComesBeforeItIsInTheBuffer() {
        for (const std::uint32_t buffer : {2U, 10U, 99U}) {
            auto order = sampleOrder(100, 7, 0, {.buffer = buffer});
            for (std::uint32_t place = 0; place < 100; ++place)
                QVERIFY(order[place] < place + buffer);
            QVERIFY(order != inOrder(100));
            std::ranges::sort(order);
            QCOMPARE(order, inOrder(100));
        }
    }

    void everyPlaceOfTheBufferIsDrawnAboutAsOften() {
        constexpr std::uint32_t kBuffer = 4;
        std::array<int, kBuffer> drawn{};
        for (std::int64_t epoch = 0; epoch < 4000; ++epoch)
            ++drawn.at(sampleOrder(20, 1, epoch, {.buffer = kBuffer}).front());
        for (const int often : drawn)  // 1000 each, with a deviation of 27
            QVERIFY2(often > 860 && often < 1140, qPrintable(QString::number(often)));
    }

    void epochsDifferUnlessTheFirstOnesOrderStays() {
        const SampleOrder anew{.buffer = 10};
        QVERIFY(sampleOrder(50, 1, 0, anew) != sampleOrder(50, 1, 1, anew));
        QVERIFY(sampleOrder(50, 1, 0, anew) != sampleOrder(50, 2, 0, anew));
        const SampleOrder once{.buffer = 10, .eachEpoch = false};
        QCOMPARE(sampleOrder(50, 1, 5, once), sampleOrder(50, 1, 0, anew));
    }

    void aRemainderThatIsDroppedIsNoStep() {
        const auto plan = BatchPlan::make(100, 32, 2, 1, 1, {.dropRemainder = true}).value();
        QCOMPARE(plan.stepsPerEpoch(), std::int64_t{3});
        for (std::int64_t step = 0; step < 6; ++step)
            QCOMPARE(plan.globalBatch(step).count, 32U);
        QCOMPARE(plan.epochOrder(1), BatchPlan::make(100, 32, 2, 1).value().epochOrder(1));
        const auto none = BatchPlan::make(31, 32, 2, 1, 1, {.dropRemainder = true});
        QCOMPARE(none.error().code, ErrorCode::BadInput);
        QCOMPARE(BatchPlan::make(64, 32, 2, 1, 1, {.dropRemainder = true})->stepsPerEpoch(),
                 std::int64_t{2});
    }

    void filesAreDealtOutInTurn() {
        const auto shards = dealFiles({10, 20, 5, 7, 1}, 2);
        QCOMPARE(shards.size(), std::size_t{2});
        QCOMPARE(textOf(shards[0]), std::string("0+10 30+5 42+1 "));
        QCOMPARE(textOf(shards[1]), std::string("10+20 35+7 "));
    }

    void everyProcessGoesThroughItsOwnFilesAlone() {
        // Process 0 has samples 0 to 9 and 30 to 34, process 1 those between; two replicas each.
        const auto plan = BatchPlan::makeSharded(dealFiles({10, 20, 5}, 2), 8, 4, 7).value();
        QCOMPARE(plan.stepsPerEpoch(), std::int64_t{5});  // 20 samples, 4 a step
        QCOMPARE(plan.largestShare(), 2U);
        for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
            const auto order = plan.epochOrder(epoch);
            std::vector<std::uint32_t> seen;
            std::uint32_t next = 0;
            for (std::int64_t step = 5 * epoch; step < 5 * (epoch + 1); ++step) {
                const SampleRange whole = plan.globalBatch(step);
                QCOMPARE(whole.first, next);
                QCOMPARE(plan.stepSamples(step), whole.count);
                for (int replica = 0; replica < 4; ++replica) {
                    const SampleRange share = plan.share(step, replica);
                    QCOMPARE(share.first, next);
                    QCOMPARE(plan.placeInStep(step, replica), next - whole.first);
                    QVERIFY(share.count <= plan.largestShare());
                    next += share.count;
                    for (std::uint32_t i = 0; i < share.count; ++i) {
                        const std::uint32_t sample = order[share.first + i];
                        QCOMPARE(sample >= 10 && sample < 30, replica >= 2);
                        seen.push_back(sample);
                    }
                }
                QCOMPARE(next, whole.first + whole.count);
            }
            std::ranges::sort(seen);
            QCOMPARE(seen, inOrder(35));
        }
        QCOMPARE(plan.globalBatch(3).count, 4U + 3U);  // process 0 comes to its end
        QCOMPARE(plan.globalBatch(4).count, 4U);
        QVERIFY(plan.epochOrder(0) != plan.epochOrder(1));
        const SampleOrder kept{.buffer = 1};
        const auto inPlace = BatchPlan::makeSharded(dealFiles({3, 3, 3}, 2), 4, 2, 7, kept).value();
        QCOMPARE(inPlace.epochOrder(0), (std::vector<std::uint32_t>{0, 1, 3, 4, 2, 6, 5, 7, 8}));
    }

    void whatCannotBeDealtOutIsRefused() {
        QVERIFY(BatchPlan::makeSharded(dealFiles({5, 0}, 2), 4, 2, 1)
                    .error()
                    .message.starts_with("process 1 has no samples"));
        QCOMPARE(BatchPlan::makeSharded(dealFiles({5, 5}, 2), 5, 2, 1).error().code,
                 ErrorCode::BadInput);
        QCOMPARE(BatchPlan::makeSharded(dealFiles({5, 5}, 2), 12, 2, 1, {.dropRemainder = true})
                     .error()
                     .code,
                 ErrorCode::BadInput);
        const auto whole =
            BatchPlan::makeSharded(dealFiles({5, 9}, 2), 4, 2, 1, {.dropRemainder = true}).value();
        QCOMPARE(whole.stepsPerEpoch(), std::int64_t{4});
        QCOMPARE(whole.globalBatch(1).count, 4U);
        QCOMPARE(whole.globalBatch(2).count, 2U);  // of process 1: process 0's fifth is left out
        auto order = whole.epochOrder(0);
        std::ranges::sort(order);
        QCOMPARE(order, inOrder(14));
    }

    void aJobSaysTheOrder() {
        config::DataSpec spec;
        QCOMPARE(orderOf(spec).buffer, 0U);
        QVERIFY(orderOf(spec).eachEpoch && !orderOf(spec).dropRemainder);
        spec.shuffle = {.buffer = 12, .eachEpoch = false};
        spec.dropRemainder = true;
        QCOMPARE(orderOf(spec).buffer, 12U);
        QVERIFY(!orderOf(spec).eachEpoch && orderOf(spec).dropRemainder);
    }
};

QTEST_GUILESS_MAIN(SampleOrderTest)
#include "tst_sample_order.moc"
