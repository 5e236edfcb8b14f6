// SPDX-License-Identifier: Apache-2.0
// Checkpoints that many have written: whoever reads them gets what one file would have given.
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

#include "core/base/hash.h"
#include "core/checkpoint/checkpoint_fetcher.h"
#include "core/checkpoint/checkpoint_provider.h"
#include "core/checkpoint/checkpoint_reader.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/layout.h"
#include "tests/support/cut_tensor.h"
#include "tests/support/sharded_sample.h"

using namespace lockstep;
using namespace lockstep::checkpoint;
using namespace lockstep::checkpoint::test;
namespace fs = std::filesystem;

namespace {

constexpr int kParts = 4;
const char* const kSecondShard = "model/shard-00002-model-00001-of-00001.safetensors";

/// A run's checkpoints in a folder of their own.
struct Place {
    QTemporaryDir root;
    fs::path folder = fs::path(root.filePath("checkpoints").toStdString());
    CheckpointStore store = *CheckpointStore::open(folder, CheckpointStore::Access::Write);

    Result<Committed> commit(std::int64_t step, int parts = kParts) {
        const Sample sample(step);
        CrewHere crew(folder, sample, parts);
        return store.commit(partOf(sample, 0, parts), &crew);
    }
    [[nodiscard]] QStringList files() const {
        return QDir(QString::fromStdString(folder.string()))
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }
    void flip(std::int64_t step, const std::string& file, std::uint64_t at) const {
        std::fstream stream(store.folderOf(step) / file,
                            std::ios::in | std::ios::out | std::ios::binary);
        stream.seekg(static_cast<std::streamoff>(at));
        const char old = static_cast<char>(stream.get());
        stream.seekp(static_cast<std::streamoff>(at));
        stream.put(static_cast<char>(old ^ 0x10));
    }
};

std::string messageOf(const auto& result) {
    return result ? std::string() : result.error().message;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

class ShardedCheckpointsTest : public QObject {
    Q_OBJECT
private slots:
    void bothFormsGiveTheSame() {
        Place sharded;
        Place plain;
        const Sample sample(20);
        QVERIFY(plain.store.commit(sample.snapshot).has_value());
        for (const int parts : {1, 2, kParts}) {
            const auto committed = sharded.commit(20, parts);
            QVERIFY2(committed.has_value(), messageOf(committed).c_str());
            const auto read = sharded.store.load(20);
            QVERIFY2(read.has_value(), messageOf(read).c_str());
            QVERIFY(sample.equals(*read));
            const auto one = plain.store.load(20);
            QCOMPARE(read->modelHash, one->modelHash);
            QCOMPARE(read->format, one->format);
            QVERIFY(!fs::exists(sharded.store.folderOf(20) / kModelFile));
        }
        QCOMPARE(sharded.files(), (QStringList{"LATEST", "step-20"}));
        QCOMPARE(*sharded.store.latest(), std::int64_t{20});
    }

    void whateverTheCutsEveryPartIsReadAsItWas() {
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            CounterRng rng(seed, 5);
            Place place;
            std::vector<CutTensor> tensors;
            Snapshot snapshot;
            snapshot.state = Sample(1).snapshot.state;
            snapshot.isSharded = true;
            for (int i = 0; i < 4; ++i)
                tensors.emplace_back("t" + std::to_string(i), rng);
            for (const CutTensor& tensor : tensors)
                tensor.addTo(snapshot.model);
            QVERIFY(place.store.commit(snapshot).has_value());
            const auto loaded = place.store.load(1);
            QVERIFY2(loaded.has_value(), messageOf(loaded).c_str());
            for (std::size_t i = 0; i < tensors.size(); ++i) {
                QCOMPARE(loaded->model[i].shape, tensors[i].whole.shape);
                QCOMPARE(loaded->model[i].values, tensors[i].whole.values);
            }
        }
    }

    void everyFlippedByteIsFoundAndItsFileNamed() {
        Place place;
        QVERIFY(place.commit(20, 2).has_value());
        const auto lease = place.store.lease(20);
        const auto manifest = readManifest(lease->folder(), 20);
        QCOMPARE(manifest->files.size(), std::size_t{5});
        for (const auto& [file, record] : manifest->files)
            for (std::uint64_t at = 0; at < record.bytes; ++at) {
                place.flip(20, file, at);
                const auto verified = place.store.verify(20);
                QVERIFY2(!verified && verified.error().code == ErrorCode::Corrupt, file.c_str());
                QVERIFY2(contains(messageOf(verified), file), messageOf(verified).c_str());
                place.flip(20, file, at);
            }
        QVERIFY(place.store.verify(20).has_value());
    }

    void whatIsMissingTooShortOrNoFileIsNamed() {
        Place place;
        for (const char* file :
             {kSecondShard, "optimizer/shard-00003-model-00001-of-00001.safetensors"}) {
            QVERIFY(place.commit(20).has_value());
            fs::resize_file(place.store.folderOf(20) / file, 100);
            QVERIFY(contains(messageOf(place.store.verify(20)),
                             std::string(file) + " has 100 bytes; its manifest says"));
            fs::remove(place.store.folderOf(20) / file);
            QVERIFY(
                contains(messageOf(place.store.verify(20)), std::string("cannot read ") + file));
            fs::create_symlink("/dev/zero", place.store.folderOf(20) / file);
            QVERIFY(
                contains(messageOf(place.store.verify(20)), std::string("cannot read ") + file));
        }
    }

    void partsThatDoNotMakeUpATensorAreNoCheckpoint() {
        const Sample sample(20);
        for (const bool overlaps : {false, true}) {
            Place place;
            Snapshot snapshot = partOf(sample, 0, 2);
            const Snapshot second = partOf(sample, 1, 2);
            snapshot.optimizer.insert(snapshot.optimizer.end(), second.optimizer.begin(),
                                      second.optimizer.end());
            if (overlaps) snapshot.model.push_back(second.model[0]);
            snapshot.model.back().offsets[0] += overlaps ? -1 : 1;
            QVERIFY(place.store.commit(snapshot).has_value());
            const auto verified = place.store.verify(20);
            QVERIFY2(contains(messageOf(verified),
                              "the parts of layers.0.weight do not make up a whole tensor"),
                     messageOf(verified).c_str());
        }
    }

    void whereOneCannotWriteThereIsNoCheckpointAndTheFormerStays() {
        Place place;
        QVERIFY(place.commit(10).has_value());
        const Sample sample(20);
        CrewHere crew(place.folder, sample, kParts);
        crew.problem = Error{ErrorCode::NoRoom, "replica 2: no space left"};
        const auto failed = place.store.commit(partOf(sample, 0, kParts), &crew);
        QCOMPARE(failed.error().code, ErrorCode::NoRoom);
        QVERIFY(contains(messageOf(failed), "replica 2: no space left"));
        QCOMPARE(place.files(), (QStringList{"LATEST", "step-10"}));
        crew.problem.reset();
        QVERIFY(place.store.commit(partOf(sample, 0, kParts), &crew).has_value());
        QVERIFY(sample.equals(*place.store.load(20)));
    }

    void twoWhoWriteTheSamePartAreNoCheckpoint() {
        Place place;
        const Sample sample(20);
        CrewHere crew(place.folder, sample, 2);
        const auto failed = place.store.commit(partOf(sample, 1, 2), &crew);
        QVERIFY2(contains(messageOf(failed), kSecondShard), messageOf(failed).c_str());
        QCOMPARE(place.files(), QStringList());
    }

    void theyArePrunedAndRepairedAsOthers() {
        Place place;
        for (const int step : {10, 20, 30})
            QVERIFY(place.commit(step).has_value());
        QCOMPARE(*place.store.prune(2), std::vector<std::int64_t>{10});
        place.flip(30, kSecondShard, 0);
        QCOMPARE(place.store.latestGood()->step, std::optional<std::int64_t>(20));
        const auto done = place.store.repair();
        QVERIFY(done.has_value());
        QCOMPARE(place.files(), (QStringList{"damaged-step-30", "LATEST", "step-20"}));
        QCOMPARE(*place.store.latest(), std::int64_t{20});
    }

    void theyTravelPieceByPiece() {
        Place there;
        QVERIFY(there.commit(20).has_value());
        class Line final : public CheckpointSource {
        public:
            explicit Line(const fs::path& folder) : provider_(folder) {}
            Result<CheckpointListing> list() override { return provider_.list(); }
            Result<std::string> read(std::int64_t step, const std::string& file,
                                     std::uint64_t offset, std::uint32_t length) override {
                return provider_.read("evaluator", step, file, offset, length, Nanos{0});
            }

        private:
            CheckpointProvider provider_;
        } line(there.folder);
        const fs::path here = there.folder.parent_path() / "here";
        CheckpointFetcher fetcher(line, here, [] { return false; });
        const auto fetched = fetcher.fetch(20);
        QVERIFY2(fetched.has_value(), messageOf(fetched).c_str());
        const auto store = CheckpointStore::open(here, CheckpointStore::Access::Read);
        QVERIFY(Sample(20).equals(*store->load(20)));
        for (const char* file : {"model", "model/", "model/../state.json", "model/.x", "../x",
                                 "other/shard-00002-model-00001-of-00001.safetensors"})
            QVERIFY2(!line.read(20, file, 0, 10), file);
    }
};

QTEST_GUILESS_MAIN(ShardedCheckpointsTest)
#include "tst_sharded_checkpoints.moc"
