// SPDX-License-Identifier: Apache-2.0
// Images that are changed at random and normalised, trained on any number of replicas.
#include <QtTest>
#include <cmath>

#include "core/data/augment/image_preparation.h"
#include "core/train/replica/gpu_program.h"
#include "tests/core/train/small_job.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace {

config::JobSpec augmentedSpec() {
    using config::AugmentationKind;
    auto spec = smallSpec({16});
    spec.data.augment = {{.kind = AugmentationKind::RandomCrop, .padding = 3},
                         {.kind = AugmentationKind::RandomRotation, .range = {-0.1, 0.1}}};
    spec.data.normalize = {.mean = {0.13}, .deviation = {0.31}};
    spec.checkpoint.everySteps = 6;
    return spec;
}

/// 101 samples: each epoch has three batches of 32 and one of five.
SmallJob jobOf(const config::JobSpec& spec) {
    auto dataset = smallDigits(101, 40, 40);
    const auto prepared = data::prepareImages(spec.data, dataset);
    if (!prepared) qFatal("%s", prepared.error().message.c_str());
    return {spec, dataset};
}

struct Trained {
    RunResult result{1};
    std::optional<checkpoint::LoadedCheckpoint> sixth;
};

Trained trained(const config::JobSpec& spec, std::vector<std::vector<int>> hosts,
                const checkpoint::LoadedCheckpoint* from = nullptr) {
    const SmallJob small = jobOf(spec);
    Trained all;
    RecordedEvents events;
    events.onCheckpoint = [&all](const checkpoint::Snapshot& snapshot) {
        if (snapshot.state.step != 6) return;
        all.sixth.emplace();
        all.sixth->state = snapshot.state;
        for (auto [tensors, copies] : {std::pair{&snapshot.model, &all.sixth->model},
                                       std::pair{&snapshot.optimizer, &all.sixth->optimizer}})
            for (const auto& tensor : *tensors)
                copies->push_back(
                    {tensor.name, tensor.shape, {tensor.values.begin(), tensor.values.end()}});
        all.sixth->format = checkpoint::kCheckpointFormat;
    };
    Spread spread{.hosts = std::move(hosts),
                  .start = {.seed = 1},
                  .totalSteps = 10,
                  .events = &events,
                  .sumsBatches = true};
    if (from != nullptr) {
        spread.start.step = 6;
        spread.start.checkpoint = *from;
    }
    all.result = trainSmall(small, spread);
    for (const auto& outcome : all.result.outcomes)
        if (!outcome) qFatal("%s", outcome.error().message.c_str());
    return all;
}

double farthest(std::span<const double> a, std::span<const double> b) {
    double largest = a.size() == b.size() && !a.empty() ? 0 : 1e9;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        largest = std::max(largest, std::abs(a[i] / b[i] - 1));
    return largest;
}

}  // namespace

class AugmentedTrainingTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { flushDenormals(); }

    void replicasTrainWhatOneWould() {
        const auto one = trained(augmentedSpec(), {{1}});
        for (const auto& hosts : {std::vector<std::vector<int>>{{2}}, {{1}, {2, 1}}})
            QVERIFY(farthest(trained(augmentedSpec(), hosts).result.losses, one.result.losses) <
                    1e-5);
        auto plain = augmentedSpec();
        plain.data.augment.clear();
        QVERIFY(farthest(trained(plain, {{1}}).result.losses, one.result.losses) > 1e-2);
    }
    void aResumeInMidEpochGoesOnWithTheSameImages() {
        const auto whole = trained(augmentedSpec(), {{2}});
        const auto same = trained(augmentedSpec(), {{2}}, &*whole.sixth);
        QCOMPARE(same.result.outcomes[0]->stateHash, whole.result.outcomes[0]->stateHash);
        const auto other = trained(augmentedSpec(), {{1}, {2}}, &*whole.sixth);
        QVERIFY(farthest(other.result.losses, std::span(whole.result.losses).subspan(6)) < 1e-5);
        const auto& sums = whole.result.batchSums;
        QCOMPARE(sums.size(), std::size_t{10});
        const std::map<std::int64_t, std::uint64_t> later(sums.upper_bound(6), sums.end());
        QVERIFY(same.result.batchSums == later);
        QVERIFY(other.result.batchSums == later);
        QVERIFY(sums.at(1) != sums.at(5));  // the same samples in another epoch
    }
    void normalizationIsWhatTheNetworkDoesFirst() {
        auto spec = augmentedSpec();
        spec.data.augment.clear();
        const SmallJob normalized = jobOf(spec);
        spec.data.normalize = {};
        const SmallJob plain = jobOf(spec);
        QVERIFY(normalized.data.fingerprint != plain.data.fingerprint);
        QCOMPARE(plain.data.fingerprint, smallDigits(101, 40, 40).fingerprint);
        QCOMPARE(normalized.data.preparation,
                 std::string(
                     R"({"images":{"size":[28,28],"color":"grey","mean":[0.13],"std":[0.31]}})"));
        QCOMPARE(normalized.network.tensors().size(), plain.network.tensors().size());
        const auto& affine =
            std::get<model::Affine>(normalized.network.graph().nodes.at(1).operation);
        QCOMPARE(affine.scale, std::vector<float>{static_cast<float>(1 / 0.31)});
        const auto with = trained(augmentedSpec(), {{1}});
        QVERIFY(with.result.outcomes[0]->test.has_value());
    }
    void wholeStepsOfGpusTakeImagesAsTheyLie() {
        auto spec = augmentedSpec();
        const auto beyond = [](const config::JobSpec& job) {
            const SmallJob small = jobOf(job);
            return train::beyondWholeSteps(small.job.training, small.data);
        };
        QCOMPARE(beyond(spec), std::string("images are augmented"));
        spec.data.augment.clear();
        QCOMPARE(beyond(spec), std::string());  // the network normalises them
        spec.data.normalize = {};
        QCOMPARE(beyond(spec), std::string());
    }
    void whatDoesNotFitTheDataIsRefused() {
        auto dataset = smallDigits(20, 5, 5);
        config::DataSpec spec;
        spec.normalize.mean = {0.1, 0.2, 0.3};
        const auto three = data::prepareImages(spec, dataset);
        QVERIFY(!three &&
                three.error().message.find("but the images have 1 channel") != std::string::npos);
        auto rows = *dataset.train;
        rows.inputKind = data::InputKind::Floats;
        dataset.train = std::make_shared<const data::Split>(rows);
        spec.normalize = {};
        QVERIFY(data::prepareImages(spec, dataset));
        spec.augment = {{}};
        const auto noImages = data::prepareImages(spec, dataset);
        QVERIFY(!noImages &&
                noImages.error().message == "data.augment is for images, but the data has none");
    }
};

QTEST_GUILESS_MAIN(AugmentedTrainingTest)
#include "tst_augmented_training.moc"
