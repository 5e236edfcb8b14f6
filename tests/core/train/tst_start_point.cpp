// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/hash.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/manifest.h"
#include "core/checkpoint/safetensors.h"
#include "core/train/checkpoints/resume_check.h"
#include "core/train/checkpoints/state_tensors.h"
#include "tests/core/train/small_job.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::tests;

namespace {

constexpr std::chrono::seconds kTimeout{5};

std::string refusalOf(const Result<StartPoint>& result) {
    if (result) return "accepted";
    if (result.error().code != ErrorCode::BadInput) return "not called bad input";
    return result.error().message + " | " + result.error().remedy;
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// A job, and a folder where its checkpoints of given steps lie.
struct Saved {
    QTemporaryDir temporary;
    std::filesystem::path folder{temporary.filePath("checkpoints").toStdString()};
    SmallJob small{smallSpec({8}), smallDigits(64, 0, 0)};
    std::vector<float> parameters = std::vector<float>(small.network.parameterCount());
    std::vector<float> first = parameters;
    std::vector<float> second = parameters;
    std::vector<float> third = parameters;

    Saved() { small.network.initialise(parameters, 99); }

    void commit(std::int64_t step) {
        for (const program::PlacedTensor& tensor : small.network.tensors()) {
            first[tensor.offset] = static_cast<float>(step);
            second[tensor.offset] = static_cast<float>(-step);
        }
        std::vector<std::span<float>> all{first, second, third};
        all.resize(moments);
        checkpoint::Snapshot snapshot;
        snapshot.state.step = step;
        snapshot.state.seed = 5;
        snapshot.state.optimizer = optimizer;
        snapshot.state.model = model;
        snapshot.state.globalBatchSize = 32;
        snapshot.state.dataFingerprint = small.data.fingerprint;
        snapshot.state.datasetCopies = copies;
        snapshot.model = modelTensors(small.network, parameters);
        std::vector<std::string> names{"exp_avg", "exp_avg_sq", "trained"};
        if (moments == 1) names = {"momentum_buffer"};
        names.resize(moments);
        snapshot.optimizer = optimizerTensors(small.network, all, names);
        auto store =
            checkpoint::CheckpointStore::open(folder, checkpoint::CheckpointStore::Access::Write);
        QVERIFY(store);
        QVERIFY(store->commit(snapshot));
    }
    Result<StartPoint> resume(const config::JobSpec& job,
                              const config::JobSpec* former = nullptr) const {
        return findStart(job, small.data, folder, true, 77, former);
    }
    /// As the version before format 2 wrote it.
    void makeOlder(std::int64_t step) const {
        const auto file = folder / ("step-" + std::to_string(step)) / "manifest.json";
        auto manifest = checkpoint::parseManifest(readFile(file, 1 << 20).value()).value();
        manifest.format = 1;
        QVERIFY(replaceFileDurably(file, checkpoint::encodeManifest(manifest)));
    }
    void damage(std::int64_t step) const {
        const auto file = folder / ("step-" + std::to_string(step)) / "model.safetensors";
        QVERIFY(QFile::resize(QString::fromStdString(file), 100));
    }
    /// Changes what the next commit says about the samples.
    int copies = 1;
    std::string optimizer = "adam";
    std::size_t moments = 2;
    std::string model;  ///< Empty, as older versions wrote it.
    config::JobSpec seedless() const {
        auto job = small.job;
        job.training.seed.reset();
        return job;
    }
    std::unique_ptr<collective::Communicator> communicator() const {
        collective::CommunicatorOptions options;
        options.topology.processes = {{0, 1}};
        options.layout.parameters = parameters.size();
        options.layout.buckets = collective::planBuckets(small.network.cuts(), parameters.size());
        return std::move(collective::makeCommunicators(options).value().front());
    }
};

}  // namespace

class StartPointTest : public QObject {
    Q_OBJECT
private slots:
    void aFreshStartTakesTheJobsSeed() {
        const Saved saved;
        const auto start = findStart(saved.small.job, saved.small.data, saved.folder, false, 77);
        QVERIFY(start);
        QCOMPARE(start->step, std::int64_t{0});
        QCOMPARE(start->seed, std::uint64_t{1});
        QCOMPARE(start->dataFingerprint, saved.small.data.fingerprint);
        QVERIFY(!start->checkpoint);
    }
    void withoutASeedTheAgreedWordIsTheSeed() {
        const Saved saved;
        const auto start = findStart(saved.seedless(), saved.small.data, saved.folder, false, 77);
        QCOMPARE(start.value().seed, std::uint64_t{77});
    }
    void aResumeContinuesFromTheNewestCheckpointWithItsSeed() {
        Saved saved;
        saved.commit(10);
        saved.commit(20);
        const auto start = saved.resume(saved.seedless());
        QVERIFY2(start, qPrintable(QString::fromStdString(refusalOf(start))));
        QCOMPARE(start->step, std::int64_t{20});
        QCOMPARE(start->seed, std::uint64_t{5});
        QVERIFY(start->checkpoint);
    }
    void aDamagedNewestCheckpointIsPassedOver() {
        Saved saved;
        saved.commit(10);
        saved.commit(20);
        saved.damage(20);
        const auto start = saved.resume(saved.seedless());
        QCOMPARE(start.value().step, std::int64_t{10});
        QCOMPARE(start->notices.size(), std::size_t{1});
        QVERIFY2(contains(start->notices[0], "step-20: model.safetensors has 100 bytes") &&
                     contains(start->notices[0], "goes on from step 10"),
                 start->notices[0].c_str());
    }
    void aSuspectCheckpointIsPassedOverWhereThereIsAnother() {
        Saved saved;
        saved.commit(10);
        saved.commit(20);
        QVERIFY(checkpoint::markSuspect(saved.folder, {20, 23, "the loss became nan"}));
        const auto start = saved.resume(saved.seedless());
        QCOMPARE(start.value().step, std::int64_t{10});
        QCOMPARE(start->notices, std::vector{std::string(
                                     "the checkpoint of step 20 is passed over: its loss became "
                                     "NaN within 3 steps of it; going on from step 10")});
        saved.damage(10);
        QCOMPARE(saved.resume(saved.seedless()).value().step, std::int64_t{20});
    }
    void whereAllAreDamagedNothingBeginsAnew() {
        Saved saved;
        saved.commit(10);
        saved.commit(20);
        saved.damage(10);
        saved.damage(20);
        const auto text = refusalOf(saved.resume(saved.seedless()));
        QVERIFY2(contains(text, "none of the checkpoints in ") && contains(text, "step-10: ") &&
                     contains(text, "step-20: ") && contains(text, "Nothing was changed.") &&
                     contains(text, "--from-scratch"),
                 text.c_str());
        QVERIFY(std::filesystem::exists(saved.folder / "step-10"));
        // A folder that LATEST names and that is not there is no beginning either.
        std::filesystem::remove_all(saved.folder / "step-10");
        std::filesystem::remove_all(saved.folder / "step-20");
        QVERIFY(contains(refusalOf(saved.resume(saved.seedless())), "step-20 does not exist"));
    }
    void anotherOptimizerIsRefused() {
        Saved saved;
        saved.commit(10);
        auto job = saved.seedless();
        job.training.optimizer = config::OptimizerKind::Sgd;
        const auto text = refusalOf(saved.resume(job));
        QVERIFY2(contains(text, "with the optimizer \"adam\", the job says \"sgd\"") &&
                     contains(text, "Resume with training.optimizer = \"adam\"."),
                 text.c_str());
    }
    void theMomentumOfAnOlderFormatIsConvertedByItsLearningRate() {
        Saved saved;
        auto job = saved.seedless();
        job.training.optimizer = config::OptimizerKind::Sgd;
        job.training.momentum = 0.9;
        job.training.learningRate = 0.1;
        auto former = job;
        former.training.learningRate = 0.5;
        saved.optimizer = "sgd";
        saved.moments = 1;
        saved.commit(10);
        const auto bufferOf = [](const StartPoint& start) {
            return start.checkpoint->optimizer.front().values.front();
        };
        QCOMPARE(bufferOf(saved.resume(job, &former).value()), 10.0F);
        saved.makeOlder(10);
        QCOMPARE(bufferOf(saved.resume(job, &former).value()), -20.0F);
        QVERIFY(contains(refusalOf(saved.resume(job)), "was written by an older version"));
    }
    void momentumThatComesOrGoesIsRefused() {
        Saved saved;
        saved.commit(10);
        auto loaded = saved.resume(saved.seedless()).value().checkpoint.value();
        loaded.state.optimizer = "sgd";
        auto job = saved.seedless();
        job.training.optimizer = config::OptimizerKind::Sgd;
        const auto fits = [&] { return checkFits(job, saved.small.data, loaded, nullptr); };
        QVERIFY(!fits() && contains(fits().error().message, "with momentum, the job says"));
        job.training.momentum = 0.9;
        QVERIFY(fits());
        loaded.optimizer.clear();
        QVERIFY(!fits() && contains(fits().error().message,
                                    "without momentum, the job says "
                                    "training.momentum = 0.9"));
    }
    void anAverageThatComesOrGoesIsSaid() {
        Saved saved;
        saved.commit(10);
        auto job = saved.seedless();
        QVERIFY(saved.resume(job).value().notices.empty());
        job.training.average.isUsed = true;
        QCOMPARE(saved.resume(job).value().notices,
                 std::vector<std::string>{
                     "the checkpoint of step 10 has no average of the weights, which "
                     "training.use_ema asks for: it begins at the weights of that step"});
        saved.moments = 3;
        saved.commit(20);
        QVERIFY(saved.resume(job).value().notices.empty());
        QCOMPARE(saved.resume(saved.seedless()).value().notices,
                 std::vector<std::string>{
                     "the checkpoint of step 20 has an average of the weights, which the job does "
                     "not ask for: training goes on with the weights themselves"});
    }
    void anotherActivationIsRefused() {
        Saved saved;
        saved.model = "dense 8 linear, dense 10 linear";
        saved.commit(10);
        const auto text = refusalOf(saved.resume(saved.seedless()));
        QVERIFY2(contains(text,
                          "of the layers dense 8 linear, dense 10 linear; the job says dense "
                          "8 relu, dense 10 linear"),
                 text.c_str());
        // A checkpoint of an older version does not say; the run's job does.
        saved.model.clear();
        saved.commit(20);
        auto former = saved.seedless();
        QVERIFY(saved.resume(saved.seedless(), &former));
        former.model.layers[0].activation = config::Activation::Linear;
        QVERIFY(contains(refusalOf(saved.resume(saved.seedless(), &former)), "of the layers"));
    }
    void everyOtherDifferenceIsNamed() {
        const auto former = smallSpec({8});
        auto job = former;
        QVERIFY(differences(former, job).empty());
        job.name = "other";
        job.runDir = "/elsewhere";
        job.launch.maxRestarts = 3;
        job.cluster.transport = config::Transport::Gloo;
        QVERIFY(differences(former, job).empty());
        job.training.learningRate = 0.01;
        job.training.epochs = 7;
        job.earlyStopping.patience = 9;
        QCOMPARE(differences(former, job),
                 (std::vector<std::string>{"training.epochs = 7 (was 1)",
                                           "training.learning_rate = 0.01 (was 0.001)",
                                           "early_stopping.patience = 9 (was 3)"}));
    }
    void aResumeBeforeTheFirstCheckpointStartsFreshAndSaysSo() {
        const Saved saved;
        std::filesystem::create_directories(saved.folder);
        const auto start = saved.resume(saved.small.job);
        QCOMPARE(start.value().step, std::int64_t{0});
        QVERIFY(!start->checkpoint);
        QCOMPARE(start->notices,
                 std::vector<std::string>{
                     "there is no checkpoint to go on from: training begins at step 0"});
    }
    void otherDataIsRefused() {
        Saved saved;
        saved.commit(10);
        saved.small.data.fingerprint = "ffeeddccbbaa99887766554433221100";
        const auto text = refusalOf(saved.resume(saved.seedless()));
        QVERIFY2(contains(text, "step 10 was trained on other data"), text.c_str());
    }
    void samplesSharedInAnotherWayAreRefused() {
        Saved saved;
        auto job = saved.seedless();
        job.cluster.numProcesses = 2;
        saved.commit(10);
        QVERIFY(saved.resume(job));
        job.data.autoShard = config::AutoShard::Off;
        QVERIFY2(contains(refusalOf(saved.resume(job)), "Resume with the same data.auto_shard"),
                 refusalOf(saved.resume(job)).c_str());
        saved.copies = 2;
        saved.commit(20);
        QCOMPARE(saved.resume(job).value().step, std::int64_t{20});
        job.cluster.numProcesses = 4;
        QVERIFY(contains(refusalOf(saved.resume(job)), "seen by 2 processes, the job says by 4"));
    }
    void aPolicyThatTheDataDoNotAllowIsRefused() {
        Saved saved;
        auto job = saved.seedless();
        job.data.dataset = "mnist";
        job.data.autoShard = config::AutoShard::File;
        QCOMPARE(datasetCopies(job).value(), 1);  // one process has nothing to share
        job.cluster.numProcesses = 2;
        const auto refused = datasetCopies(job);
        QVERIFY(!refused && contains(refused.error().message,
                                     "files are not dealt out to processes: each of 2"));
    }
    void anotherBatchSizeIsRefused() {
        Saved saved;
        saved.commit(10);
        auto job = saved.seedless();
        job.training.globalBatchSize = 64;
        const auto text = refusalOf(saved.resume(job));
        QVERIFY2(contains(text, "global_batch_size 32, the job says 64") &&
                     contains(text, "training.global_batch_size = 32"),
                 text.c_str());
    }
    void anotherSeedIsRefused() {
        Saved saved;
        saved.commit(10);
        const auto text = refusalOf(saved.resume(saved.small.job));
        QVERIFY2(contains(text, "seed 5, the job says 1"), text.c_str());
    }

    void theOthersLearnTheChiefsStartThroughTheStore() {
        Saved saved;
        saved.commit(20);
        MemoryStore store;
        const auto start = saved.resume(saved.seedless());
        QVERIFY(start && announceStart(store, *start));
        QVERIFY(!start->epochEndDue);
        const auto heard = awaitStart(store, saved.small.data, kTimeout);
        QVERIFY(heard);
        QCOMPARE(heard->step, std::int64_t{20});
        QCOMPARE(heard->seed, std::uint64_t{5});
        QVERIFY(!heard->checkpoint);
    }
    void aProcessWithOtherDataThanTheChiefIsRefused() {
        Saved saved;
        MemoryStore store;
        QVERIFY(announceStart(store, {.step = 3, .seed = 4, .dataFingerprint = "abc"}));
        const auto text = refusalOf(awaitStart(store, saved.small.data, kTimeout));
        QVERIFY2(contains(text, "other data than process 0"), text.c_str());
    }
    void anAnnouncementThatCannotBeReadIsRefused() {
        const Saved saved;
        MemoryStore store;
        QVERIFY(store.set("train/start", "ten"));
        const auto heard = awaitStart(store, saved.small.data, kTimeout);
        QCOMPARE(heard.error().code, ErrorCode::Corrupt);
    }
    void aChiefThatNeverSpeaksIsATimeout() {
        const Saved saved;
        MemoryStore store;
        QCOMPARE(awaitStart(store, saved.small.data, Millis(1)).error().code, ErrorCode::Timeout);
    }

    void aFreshStartInitialisesReplicaZero() {
        const Saved saved;
        const auto communicator = saved.communicator();
        QVERIFY(
            applyStart({.seed = 99}, saved.small.network, saved.small.optimizer, *communicator));
        const auto parameters = communicator->parameters();
        QVERIFY(std::equal(parameters.begin(), parameters.end(), saved.parameters.begin()));
    }
    void aFreshStartBeginsWithTheFilesWeights() {
        const Saved saved;
        const QTemporaryDir folder;
        const std::filesystem::path path(folder.path().toStdString());
        std::vector<float> wanted = saved.parameters;  // gaps included
        std::vector<checkpoint::SafetensorView> views;
        for (const program::PlacedTensor& tensor : saved.small.network.tensors()) {
            std::ranges::fill(tensor.in(std::span(wanted)), static_cast<float>(views.size() + 2));
            const auto bytes = std::as_bytes(tensor.in(std::span(wanted)));
            views.push_back({tensor.name,
                             checkpoint::DType::F32,
                             tensor.shape,
                             {reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
        }
        const std::string file = checkpoint::encodeSafetensors(views, {}).value();
        QVERIFY(replaceFileDurably(path / "w.safetensors", file));
        config::JobSpec job = saved.small.job;
        job.model.initialWeights.file = "w.safetensors";
        StartPoint start{.seed = 99};
        QVERIFY(readStartWeights(job, path, saved.small.network, start));
        QCOMPARE(start.initialWeights, contentHash(file));
        QVERIFY(contains(startWeightsText(job, *start.weights), "4 tensors of w.safetensors"));
        const auto communicator = saved.communicator();
        QVERIFY(applyStart(start, saved.small.network, saved.small.optimizer, *communicator));
        QVERIFY(std::ranges::equal(communicator->parameters(), wanted));

        job.model.initialWeights.file = "gone.safetensors";
        StartPoint fresh;
        QCOMPARE(readStartWeights(job, path, saved.small.network, fresh).error().code,
                 ErrorCode::BadInput);
        fresh.checkpoint.emplace();  // a resume has no use for it
        QVERIFY(readStartWeights(job, path, saved.small.network, fresh));
        QVERIFY(!fresh.weights);
    }
    void aResumeRestoresParametersAndMoments() {
        Saved saved;
        saved.commit(20);
        const auto communicator = saved.communicator();
        QVERIFY(applyStart(saved.resume(saved.seedless()).value(), saved.small.network,
                           saved.small.optimizer, *communicator));
        const auto same = [](std::span<const float> have, const std::vector<float>& want) {
            return std::equal(have.begin(), have.end(), want.begin(), want.end());
        };
        QVERIFY(same(communicator->parameters(), saved.parameters));
        QVERIFY(same(communicator->moments(0), saved.first));
        QVERIFY(same(communicator->moments(1), saved.second));
    }
    void aCheckpointOfAnotherModelIsRefused() {
        Saved saved;
        saved.commit(20);
        const auto start = saved.resume(saved.seedless());
        const Saved other;
        const SmallJob wider(smallSpec({9}), other.small.data);
        collective::CommunicatorOptions options;
        options.topology.processes = {{0, 1}};
        options.layout.parameters = wider.network.parameterCount();
        options.layout.buckets =
            collective::planBuckets(wider.network.cuts(), options.layout.parameters);
        const auto communicator = std::move(collective::makeCommunicators(options).value().front());
        const auto applied =
            applyStart(start.value(), wider.network, wider.optimizer, *communicator);
        QCOMPARE(applied.error().code, ErrorCode::BadInput);
    }
};

QTEST_GUILESS_MAIN(StartPointTest)
#include "tst_start_point.moc"
