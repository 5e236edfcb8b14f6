// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <numeric>

#include "core/data/data_card.h"
#include "core/data/digits.h"
#include "core/data/prefetch.h"
#include "core/data/raw_sets.h"

using namespace lockstep;
using namespace lockstep::data;

namespace {

config::JobSpec job() {
    using config::AugmentationKind;
    config::JobSpec spec;
    spec.training.globalBatchSize = 32;
    spec.training.seed = 7;
    spec.data.augment = {{.kind = AugmentationKind::RandomCrop, .padding = 4},
                         {.kind = AugmentationKind::MixUp, .alpha = 1}};
    return spec;
}

Dataset dataset() {
    Dataset all = assemble({generateDigits(0, 150), generateDigits(150, 30)}, 50).value();
    for (int digit = 0; digit < 10; ++digit)
        all.classNames.push_back(std::to_string(digit));
    all.notes = {"one image cannot be read"};
    all.augment = job().data.augment;
    return all;
}

}  // namespace

class DataCardTest : public QObject {
    Q_OBJECT
private slots:
    void samplesAreCountedBySplitAndClass() {
        const DataCard card = dataCardOf(job(), dataset()).value();
        QCOMPARE(card.kind, std::string("images"));
        QCOMPARE(card.parts.size(), std::size_t{3});
        const std::array<std::uint64_t, 3> expected{100, 50, 30};
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(card.parts[i].samples, expected[i]);
            QCOMPARE(std::accumulate(card.parts[i].perClass.begin(), card.parts[i].perClass.end(),
                                     std::uint64_t{0}),
                     expected[i]);
        }
        QCOMPARE(card.notes, dataset().notes);
    }
    void samplesAreOfAsManyClassesAsThereAre() {
        const DataCard card = dataCardOf(job(), dataset(), {.samples = 12, .versions = 2}).value();
        std::set<int> classes;
        for (const auto& sample : card.samples) {
            classes.insert(sample.label);
            QCOMPARE(sample.pixels.size(), std::size_t{784});
            QCOMPARE(sample.versions.size(), std::size_t{2});
        }
        QCOMPARE(card.samples.size(), std::size_t{12});
        QCOMPARE(classes.size(), std::size_t{10});
        QCOMPARE(dataCardOf(job(), dataset(), {.samples = 3}).value().samples.size(),
                 std::size_t{3});
    }
    void versionsAreWhatTrainingSees() {
        const Dataset data = dataset();
        const DataCard card = dataCardOf(job(), data, {.samples = 5, .versions = 3}).value();
        const auto plan = BatchPlan::make(data.train->count, 32, 1, 7).value();
        const auto augmenter = std::make_shared<const Augmenter>(
            Augmenter::make(data.augment, {28, 28, 1}, 7).value());
        const auto prefetcher = Prefetcher::start(data.train, plan, 0, 0, 3 * plan.stepsPerEpoch(),
                                                  {.augmenter = augmenter})
                                    .value();
        int compared = 0;
        for (std::int64_t step = 0; step < 3 * plan.stepsPerEpoch(); ++step) {
            const Batch batch = prefetcher->next(std::chrono::seconds(20)).value();
            const auto order = plan.epochOrder(batch.epoch);
            const SampleRange range = plan.globalBatch(step);
            for (std::uint32_t i = 0; i < batch.count; ++i)
                for (const auto& sample : card.samples) {
                    if (sample.index != order[range.first + i]) continue;
                    const auto& version = sample.versions[static_cast<std::size_t>(batch.epoch)];
                    QVERIFY(std::equal(version.pixels.begin(), version.pixels.end(),
                                       batch.inputs + i * 784));
                    QCOMPARE(static_cast<float>(version.share), batch.shares[i]);
                    ++compared;
                }
        }
        QCOMPARE(compared, 15);
    }
    void withoutAugmentationThereAreNoVersions() {
        Dataset plain = dataset();
        plain.augment.clear();
        for (const auto& sample : dataCardOf(job(), plain).value().samples)
            QVERIFY(sample.versions.empty());
    }
};

QTEST_GUILESS_MAIN(DataCardTest)
#include "tst_data_card.moc"
