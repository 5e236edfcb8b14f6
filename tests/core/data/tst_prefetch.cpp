// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <set>

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/data/digits.h"
#include "core/data/prefetch.h"

using namespace lockstep;
using namespace lockstep::data;

namespace {
constexpr Nanos kPatience = std::chrono::seconds(20);
}

class PrefetchTest : public QObject {
    Q_OBJECT

    const std::shared_ptr<const Split> split_ =
        std::make_shared<const Split>(generateDigits(0, 500));

    bool sameAsDirect(const BatchPlan& plan, int replica, std::int64_t step, const Batch& batch) {
        const SampleRange share = plan.share(step, replica);
        const auto order = plan.epochOrder(plan.positionOf(step).epoch);
        const std::span<const std::uint32_t> indices =
            std::span(order).subspan(share.first, share.count);
        std::vector<std::uint8_t> pixels(share.count * split_->bytesPerSample());
        std::vector<std::uint8_t> labels(share.count * sizeof(std::uint16_t));
        gather(*split_, indices, pixels.data(), labels.data());
        return batch.step == step && batch.epoch == plan.positionOf(step).epoch &&
               batch.count == share.count && batch.globalCount == plan.globalBatch(step).count &&
               std::equal(pixels.begin(), pixels.end(), batch.inputs) &&
               std::equal(labels.begin(), labels.end(), batch.targets);
    }

    static std::shared_ptr<const Augmenter> augmenter() {
        using config::AugmentationKind;
        config::AugmentationSpec crop{.kind = AugmentationKind::RandomCrop, .padding = 4};
        const config::AugmentationSpec turn{.kind = AugmentationKind::RandomRotation,
                                            .range = {-0.1, 0.1}};
        const config::AugmentationSpec mix{.kind = AugmentationKind::MixUp, .alpha = 1};
        return std::make_shared<const Augmenter>(
            Augmenter::make({crop, turn, mix}, {28, 28, 1}, 9).value());
    }

    /// Of the pixels, targets and shares of every global batch from `first` on.
    std::vector<std::string> globalHashes(int replicas, std::int64_t first, std::int64_t end,
                                          unsigned threads) {
        const auto plan = BatchPlan::make(split_->count, 72, replicas, 9);
        std::vector<ContentHash> hashes(static_cast<std::size_t>(end - first));
        std::vector<std::unique_ptr<Prefetcher>> all;
        for (int replica = 0; replica < replicas; ++replica)
            all.push_back(
                Prefetcher::start(split_, *plan, replica, first, end,
                                  {.depth = 3, .augmenter = augmenter(), .mostThreads = threads})
                    .value());
        for (ContentHash& hash : hashes)
            for (const auto& prefetcher : all) {
                const Batch batch = prefetcher->next(kPatience).value();
                for (std::uint32_t i = 0; i < batch.count; ++i) {
                    hash.add(std::as_bytes(std::span(batch.inputs + i * 784, 784)));
                    hash.add(std::as_bytes(std::span(batch.targets + 2 * i, 2)));
                    hash.add(std::as_bytes(std::span(batch.otherTargets + 2 * i, 2)));
                    hash.add(std::as_bytes(std::span(batch.shares + i, 1)));
                }
            }
        std::vector<std::string> digits;
        for (ContentHash& hash : hashes)
            digits.push_back(hash.digits());
        return digits;
    }

private slots:
    void gatheredPixelsAreTheSamplesOwn() {
        const std::vector<std::uint32_t> indices{7, 499, 7};
        std::vector<std::uint8_t> pixels(indices.size() * split_->bytesPerSample());
        std::vector<std::uint16_t> labels(indices.size());
        gather(*split_, indices, pixels.data(), reinterpret_cast<std::uint8_t*>(labels.data()));
        for (std::size_t i = 0; i < indices.size(); ++i) {
            QCOMPARE(labels[i], split_->label(indices[i]));
            QVERIFY(std::ranges::equal(
                std::span(pixels).subspan(i * split_->bytesPerSample(), split_->bytesPerSample()),
                split_->input(indices[i])));
        }
    }
    void textIsGatheredAsWindowsWithTheTokensBehindThem() {
        const std::uint16_t stream[] = {5, 6, 7, 8, 300, 10, 11};
        Split split;
        split.count = 2;
        split.inputKind = InputKind::Tokens;
        split.targetKind = TargetKind::NextToken;
        split.shape = {3};
        split.stride = 3;
        split.inputs = labelBytes(stream);
        std::uint16_t inputs[6];
        std::uint16_t targets[6];
        const std::uint32_t indices[] = {1, 0};
        gather(split, indices, reinterpret_cast<std::uint8_t*>(inputs),
               reinterpret_cast<std::uint8_t*>(targets));
        QVERIFY(std::ranges::equal(inputs, std::to_array<int>({8, 300, 10, 5, 6, 7})));
        QVERIFY(std::ranges::equal(targets, std::to_array<int>({300, 10, 11, 6, 7, 8})));
    }
    void gradientsDivideByWhatCountsOfTheWholeBatch() {
        const auto plan = BatchPlan::make(split_->count, 60, 3, 1);
        for (int replica = 0; replica < 3; ++replica) {
            auto prefetcher = Prefetcher::start(split_, *plan, replica, 0, 9, {.ignoredClass = 3});
            for (std::int64_t step = 0; step < 9; ++step) {  // the last one has 20 samples
                const auto batch = (*prefetcher)->next(kPatience);
                QVERIFY(batch.has_value());
                const auto order = plan->epochOrder(0);
                const SampleRange whole = plan->globalBatch(step);
                const auto counted = std::ranges::count_if(
                    std::span(order).subspan(whole.first, whole.count),
                    [this](std::uint32_t index) { return split_->label(index) != 3; });
                QCOMPARE(batch->globalItems, static_cast<std::uint64_t>(counted));
                QVERIFY(batch->globalItems < batch->globalCount);
            }
        }
    }
    void rowsKeepTheirColumnsAndAllTheirValues() {
        const float rows[] = {1, 2, 3, 10, 20, 30};
        const float values[] = {0.5F, -1, 7, 8};
        auto split = std::make_shared<Split>();
        split->count = 2;
        split->inputKind = InputKind::Floats;
        split->targetKind = TargetKind::Values;
        split->shape = {2};
        split->extras = 1;
        split->valuesPerSample = 2;
        split->inputs = floatBytes(rows);
        split->targets = floatBytes(values);
        QCOMPARE(split->features(), std::size_t{3});
        auto prefetcher = Prefetcher::start(split, *BatchPlan::make(2, 2, 1, 1), 0, 0, 1);
        const auto batch = (*prefetcher)->next(std::chrono::seconds(10));
        QVERIFY(batch && batch->inputKind == InputKind::Floats);
        QCOMPARE(batch->globalItems, std::uint64_t{2});
        const std::uint32_t first = BatchPlan::make(2, 2, 1, 1)->epochOrder(0)[0];
        float input[3];
        float target[2];
        std::memcpy(input, batch->inputs, sizeof input);
        std::memcpy(target, batch->targets, sizeof target);
        QVERIFY(std::ranges::equal(input, std::span(rows).subspan(first * 3, 3)));
        QVERIFY(std::ranges::equal(target, std::span(values).subspan(first * 2, 2)));
    }
    void prefetchedEqualsDirectOverEpochsAndReplicas() {
        for (const std::uint32_t depth : {1U, 2U, 3U, 64U}) {
            for (int replica = 0; replica < 3; ++replica) {
                const auto plan = BatchPlan::make(split_->count, 33, 3, 5);
                const std::int64_t end = 3 * plan->stepsPerEpoch();
                auto prefetcher =
                    Prefetcher::start(split_, *plan, replica, 0, end, {.depth = depth});
                QVERIFY(prefetcher.has_value());
                for (std::int64_t step = 0; step < end; ++step) {
                    const auto batch = (*prefetcher)->next(kPatience);
                    QVERIFY(batch.has_value());
                    QCOMPARE(reinterpret_cast<std::uintptr_t>(batch->inputs) % 64,
                             std::uintptr_t{0});
                    QVERIFY(sameAsDirect(*plan, replica, step, *batch));
                }
                QCOMPARE((*prefetcher)->next(kPatience).error().code, ErrorCode::NotFound);
            }
        }
    }
    void resumingAtAnyStepGivesTheSameBatches() {
        const auto plan = BatchPlan::make(split_->count, 64, 2, 9);
        const std::int64_t end = 2 * plan->stepsPerEpoch();
        for (std::int64_t first = 0; first <= end; ++first) {
            auto prefetcher = Prefetcher::start(split_, *plan, 1, first, end);
            QVERIFY(prefetcher.has_value());
            for (std::int64_t step = first; step < end; ++step) {
                const auto batch = (*prefetcher)->next(kPatience);
                QVERIFY(batch.has_value());
                QVERIFY(sameAsDirect(*plan, 1, step, *batch));
            }
        }
    }
    void anEmptyShareOfASmallLastBatchIsABatch() {
        const auto plan =
            BatchPlan::make(split_->count, 249, 5, 1);  // the last batch has 2 samples
        auto prefetcher = Prefetcher::start(split_, *plan, 4, 2, 3);
        const auto batch = (*prefetcher)->next(kPatience);
        QVERIFY(batch.has_value());
        QCOMPARE(batch->count, 0U);
        QCOMPARE(batch->globalCount, 2U);
    }
    void destructionIsPromptAtAnyMoment() {
        const auto plan = BatchPlan::make(split_->count, 50, 1, 1);
        for (int taken = 0; taken < 100; ++taken) {
            auto prefetcher = Prefetcher::start(split_, *plan, 0, 0, 1'000'000, {.depth = 8});
            for (int i = 0; i < taken % 13; ++i)
                QVERIFY((*prefetcher)->next(kPatience).has_value());
            const Nanos start = SteadyClock::read();
            prefetcher->reset();
            QVERIFY(SteadyClock::read() - start < std::chrono::seconds(2));
        }
    }
    void aLargeBatchGetsAShallowRingInsteadOfMuchMemory() {
        const auto big = std::make_shared<const Split>(generateDigits(0, 20'000));
        const auto plan = BatchPlan::make(big->count, 20'000, 1, 1);  // 16 MB a batch
        auto prefetcher = Prefetcher::start(big, *plan, 0, 0, 3);
        QVERIFY(prefetcher.has_value());
        for (int step = 0; step < 3; ++step) {
            const auto batch = (*prefetcher)->next(kPatience);
            QVERIFY(batch.has_value());
            QCOMPARE(batch->count, 20'000U);
        }
    }
    void moreAheadThanMemoryShouldHoldIsRefused() {
        const auto big = std::make_shared<const Split>(generateDigits(0, 20'000));
        const auto plan = BatchPlan::make(big->count, 20'000, 1, 1);
        const auto refused = Prefetcher::start(big, *plan, 0, 0, 3, {.depth = 4000});
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::BadInput);
        QVERIFY(refused.error().message.starts_with("data.prefetch is 4000, and a batch"));
        QVERIFY(Prefetcher::start(big, *plan, 0, 0, 3, {.depth = 1}));  // one is always possible
    }
    void asManyAreAheadAsAskedFor() {
        const auto plan = BatchPlan::make(split_->count, 16, 1, 1);
        auto prefetcher = Prefetcher::start(split_, *plan, 0, 0, 1000, {.depth = 5});
        int ready = 0;
        for (int attempt = 1; attempt <= 20 && ready < 5; ++attempt) {
            prefetcher = Prefetcher::start(split_, *plan, 0, 0, 1000, {.depth = 5});
            QTest::qWait(20 * attempt);  // a pause: batches are prepared meanwhile
            // They stay ready: nothing is taken, so no more are prepared meanwhile.
            const auto first = (*prefetcher)->next(Nanos(0));
            if (first) QCOMPARE(first->step, std::int64_t{0});
            ready = first ? 1 : 0;
            while (ready < 5 && (*prefetcher)->next(Nanos(0)))
                ++ready;
        }
        QCOMPARE(ready, 5);
    }
    void readyBatchesComeWithoutWaiting() {
        const auto plan = BatchPlan::make(split_->count, 16, 1, 1);
        for (int attempt = 1; attempt <= 20; ++attempt) {
            // Fewer batches than slots: after a while all are ready, sooner or later by the load.
            auto prefetcher = Prefetcher::start(split_, *plan, 0, 0, 40, {.depth = 64});
            QTest::qWait(20 * attempt);  // a pause: batches are prepared meanwhile
            int ready = 0;
            while ((*prefetcher)->next(Nanos(0)))
                ++ready;
            if (ready == 40) return;
        }
        QFAIL("the batches were never ready in time");
    }
    void augmentedGlobalBatchesAreTheSameOnAnyNumberOfReplicasAndAfterAResume() {
        const std::int64_t end = 2 * BatchPlan::make(split_->count, 72, 1, 9)->stepsPerEpoch();
        const auto expected = globalHashes(1, 0, end, 1);
        QCOMPARE(std::set<std::string>(expected.begin(), expected.end()).size(), expected.size());
        for (const int replicas : {2, 4}) {
            QVERIFY(globalHashes(replicas, 0, end, 1) == expected);
            QVERIFY(globalHashes(replicas, 0, end, 3) == expected);
        }
        for (const std::int64_t first : {1, 3, 9})
            QVERIFY(globalHashes(4, first, end, 2) ==
                    std::vector<std::string>(expected.begin() + first, expected.end()));
    }
    void moreThreadsBeginWhereTheConsumerWaits() {
        const auto plan = BatchPlan::make(split_->count, 500, 1, 9);
        const PrefetchOptions options{.depth = 1, .augmenter = augmenter(), .mostThreads = 3};
        auto prefetcher = Prefetcher::start(split_, *plan, 0, 0, 1'000'000, options);
        QCOMPARE((*prefetcher)->threads(), 1U);
        for (int i = 0; i < 1000 && (*prefetcher)->threads() < 3; ++i)
            QVERIFY((*prefetcher)->next(kPatience).has_value());
        QCOMPARE((*prefetcher)->threads(), 3U);
        for (int i = 0; i < 20; ++i)
            QVERIFY((*prefetcher)->next(kPatience).has_value());
        QCOMPARE((*prefetcher)->threads(), 3U);
    }
    void everyThreadHasALargeBatchOfItsOwn() {
        constexpr std::uint32_t kImages = 100;
        const model::Shape shape{224, 224, 3};
        const auto large = std::make_shared<const Split>(
            imageSplit(kImages, shape, std::vector<std::uint8_t>(kImages * 224 * 224 * 3),
                       labelBytes(std::vector<std::uint16_t>(kImages))));
        const auto aheadOf = [&](std::uint32_t batch, unsigned threads) {
            const auto plan = BatchPlan::make(kImages, batch, 1, 9);
            return Prefetcher::start(large, *plan, 0, 0, 10, {.mostThreads = threads})
                .value()
                ->ahead();
        };
        QCOMPARE(aheadOf(80, 3), 3U);    // 12 MB each
        QCOMPARE(aheadOf(80, 64), 21U);  // 256 MiB at most
        QCOMPARE(aheadOf(80, 1), 1U);
        QCOMPARE(aheadOf(8, 3), 26U);  // 32 MiB
    }
};

QTEST_GUILESS_MAIN(PrefetchTest)
#include "tst_prefetch.moc"
