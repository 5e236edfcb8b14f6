// SPDX-License-Identifier: Apache-2.0
// A mesh that goes on with a sharded checkpoint: every process reads its own part and no more, and
// what one of them cannot read nobody goes on with.
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/layout.h"
#include "core/config/keys/optimizer_keys.h"
#include "core/model/mesh/split_graph.h"
#include "core/train/checkpoints/part_restore.h"
#include "core/train/checkpoints/resume_check.h"
#include "core/train/checkpoints/shard_tensors.h"
#include "core/train/checkpoints/start_point.h"
#include "tests/core/train/small_job.h"
#include "tests/support/memory_store.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::tests;
using checkpoint::CheckpointStore;
namespace fs = std::filesystem;

namespace {

constexpr int kMembers = 4;
constexpr std::chrono::seconds kTimeout{20};

/// What this process has read from files so far.
std::uint64_t bytesRead() {
    std::ifstream file("/proc/self/io");
    std::string word;
    std::uint64_t count = 0;
    file >> word >> count;
    return word == "rchar:" ? count : 0;
}

double inMebibytes(std::uint64_t bytes) {
    return static_cast<double>(bytes) / (1 << 20);
}

/// What a member reads at most of a checkpoint that kMembers have written: the files' first blocks,
/// and all in which there is a number of its own tensors or of those that are not cut.
std::uint64_t mostRead(const checkpoint::OpenShards& shards, const checkpoint::Manifest& manifest,
                       int column) {
    constexpr std::uint64_t kBlock = checkpoint::kLeastBlock;
    std::uint64_t blocks = 0;
    for (const auto& [kind, index] : {std::pair{checkpoint::kModelFolder, &shards.model},
                                      {checkpoint::kOptimizerFolder, &shards.optimizer}}) {
        blocks += kMembers;
        const std::string own = checkpoint::shardName(kind, column + 1);
        for (const auto& [name, whole] : index->tensors())
            for (const auto& piece : whole.pieces) {
                if (piece.file != own && whole.pieces.size() > 1) continue;
                const auto numbers =
                    static_cast<std::uint64_t>(checkpoint::elementsOf(piece.box.shape));
                const std::uint64_t last = piece.begin + numbers * sizeof(float) - 1;
                blocks += last / kBlock - piece.begin / kBlock + 1;
            }
    }
    return blocks * kBlock + manifest.files.at(checkpoint::kStateFile).bytes;
}

/// A network of one wide layer, which four members share by its outputs, and its checkpoints.
struct Place {
    QTemporaryDir root;
    SmallJob small{[] {
                       auto spec = smallSpec({kWide});
                       spec.checkpoint.sharded = true;
                       return spec;
                   }(),
                   smallDigits(64, 0, 0)};
    model::MeshLayout layout =
        model::layOut(small.network.graph(), {{"layers.0.weight", "out"}}, kMembers).value();
    CheckpointStore store = *CheckpointStore::open(fs::path(root.path().toStdString()) / "c",
                                                   CheckpointStore::Access::Write);
    MemoryStore words;
    std::vector<std::unique_ptr<PartRestore>> restores;

    static constexpr int kWide = 4096;

    Place() {
        for (int process = 0; process < kMembers; ++process) {
            PartRestore::Share share{
                .process = process, .checkpoints = store.folder(), .columns = {process}};
            if (process == 0) share.others = {1, 2, 3};
            restores.push_back(std::make_unique<PartRestore>(words, small.network, layout,
                                                             small.optimizer, share));
        }
    }

    [[nodiscard]] program::Network part(int column) const {
        return program::Network(model::splitGraph(small.network.graph(), layout, column));
    }

    /// A number of its own for every element, of every step.
    [[nodiscard]] WholeState state(std::int64_t step) const {
        WholeState whole(small.optimizer, small.network);
        auto number = static_cast<float>(step);
        const auto fill = [&](std::vector<float>& flat) {
            for (const program::PlacedTensor& tensor : small.network.tensors())
                for (float& value : tensor.in(std::span(flat)))
                    value = number += 1;
        };
        fill(whole.parameters);
        for (std::vector<float>& moment : whole.moments)
            fill(moment);
        return whole;
    }

    /// As a mesh of four writes it.
    void commit(std::int64_t step) {
        WholeState whole = state(step);
        checkpoint::Snapshot snapshot;
        snapshot.isSharded = true;
        snapshot.state.step = step;
        snapshot.state.seed = 1;
        snapshot.state.optimizer = toString(small.job.training.optimizer);
        snapshot.state.model = modelText(small.job.model);
        snapshot.state.globalBatchSize = small.job.training.globalBatchSize;
        snapshot.state.dataFingerprint = small.data.fingerprint;
        std::vector<program::Network> networks;
        std::vector<WholeState> parts;
        networks.reserve(kMembers);
        parts.reserve(kMembers);
        for (int column = 0; column < kMembers; ++column) {
            const auto& network = networks.emplace_back(part(column));
            WholeState& own = parts.emplace_back(small.optimizer, network);
            take(network, column, whole.parameters, own.parameters);
            for (std::size_t i = 0; i < whole.moments.size(); ++i)
                take(network, column, whole.moments[i], own.moments[i]);
            addShards(network, column, savedBuffers(small.optimizer, own.buffers()), own.statistics,
                      snapshot);
        }
        const auto committed = store.commit(snapshot);
        QVERIFY2(committed.has_value(), committed ? "" : committed.error().message.c_str());
    }
    void take(const program::Network& network, int column, std::span<const float> whole,
              std::span<float> own) const {
        for (std::size_t i = 0; i < network.tensors().size(); ++i)
            model::takeShard(network.graph().shards[i].of(column), small.network.tensors()[i].shape,
                             small.network.tensors()[i].in(whole), network.tensors()[i].in(own));
    }

    /// Flips a bit near the end of a member's part of the weights.
    void damage(std::int64_t step, int column) const {
        const auto path =
            store.folderOf(step) / checkpoint::shardName(checkpoint::kModelFolder, column + 1);
        std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
        const auto place = static_cast<std::streamoff>(fs::file_size(path)) - 5;
        stream.seekg(place);
        const int byte = stream.get();
        stream.seekp(place);
        stream.put(static_cast<char>(byte ^ 1));
    }

    /// Process 0 looks for a start, the others do as it says; how each of those ended.
    Result<StartPoint> start(std::vector<Result<void>>& followed, bool resume = true) {
        followed.assign(kMembers - 1, {});
        std::vector<std::jthread> others;
        for (std::size_t i = 0; i < followed.size(); ++i)
            others.emplace_back(
                [this, &followed, i] { followed[i] = restores[i + 1]->follow(kTimeout); });
        return findStart(small.job, small.data, store.folder(), resume, 1, nullptr, &*restores[0]);
    }

    /// Whether each process holds what its member held at that step.
    [[nodiscard]] bool holds(std::int64_t step) const {
        const WholeState whole = state(step);
        for (int column = 0; column < kMembers; ++column) {
            const auto* const parts = restores[static_cast<std::size_t>(column)]->parts();
            if (parts == nullptr || parts->size() != 1) return false;
            const program::Network network = part(column);
            WholeState expected(small.optimizer, network);
            take(network, column, whole.parameters, expected.parameters);
            for (std::size_t i = 0; i < whole.moments.size(); ++i)
                take(network, column, whole.moments[i], expected.moments[i]);
            const WholeState& own = parts->at(column);
            if (own.parameters != expected.parameters || own.moments != expected.moments)
                return false;
        }
        return true;
    }
};

}  // namespace

class PartRestoreTest : public QObject {
    Q_OBJECT
private slots:
    void everyProcessHoldsItsOwnPart() {
        Place place;
        place.commit(8);
        std::vector<Result<void>> followed;
        const auto start = place.start(followed);
        QVERIFY2(start.has_value(), start ? "" : start.error().message.c_str());
        QCOMPARE(start->step, std::int64_t{8});
        for (const auto& one : followed)
            QVERIFY2(one.has_value(), one ? "" : one.error().message.c_str());
        QVERIFY(place.holds(8));
    }

    /// Of 37.3 MiB 9.3 are a member's quarter. What it reads besides follows from reading by blocks
    /// that have a checksum each: the first one of each of the 8 files, where their headers lie (2
    /// MiB); all of what is not cut (the last layer, 0.5 MiB with its moments); and of both ends of
    /// each tensor the rest of its block. mostRead() counts exactly that.
    void aProcessReadsAQuarterOfWhatFourShare() {
        Place place;
        place.commit(8);
        const auto lease = place.store.lease(8);
        const auto manifest = checkpoint::readManifest(lease->folder(), 8);
        const auto manifestBytes =
            fs::file_size(place.store.folderOf(8) / checkpoint::kManifestFile);
        std::uint64_t all = 0;
        for (const auto& [name, record] : manifest->files)
            all += record.bytes;
        for (int column = 0; column < kMembers; ++column) {
            const program::Network part = place.part(column);
            const std::uint64_t before = bytesRead();
            auto shards = checkpoint::openShards(lease->folder(), 8);
            QVERIFY(shards && *shards);
            const auto read = readPart(**shards, part, column);
            QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
            const std::uint64_t taken = bytesRead() - before;
            const std::uint64_t most = mostRead(**shards, *manifest, column) + manifestBytes;
            qInfo("member %d reads %.2f of %.2f MiB, at most %.2f", column, inMebibytes(taken),
                  inMebibytes(all), inMebibytes(most));
            QVERIFY(taken >= all / kMembers);
            QVERIFY(taken <= most);
            QVERIFY(most < all * 2 / 5);
        }
    }

    /// The others are not told by whoever started them whether a run is resumed.
    void whereProcess0BeginsAnewNobodyReads() {
        Place place;
        place.commit(8);
        std::vector<Result<void>> followed;
        const auto start = place.start(followed, false);
        QVERIFY2(start.has_value(), start ? "" : start.error().message.c_str());
        QCOMPARE(start->step, std::int64_t{0});
        for (const auto& one : followed)
            QVERIFY2(one.has_value(), one ? "" : one.error().message.c_str());
        for (const auto& restore : place.restores)
            QVERIFY(restore->parts() == nullptr);
    }

    /// Nobody is left waiting: all go on from the older one, and the damaged block is named.
    void whatOneProcessCannotReadNobodyGoesOnWith() {
        Place place;
        place.commit(8);
        place.commit(16);
        place.damage(16, 2);
        std::vector<Result<void>> followed;
        const auto start = place.start(followed);
        QVERIFY2(start.has_value(), start ? "" : start.error().message.c_str());
        QCOMPARE(start->step, std::int64_t{8});
        for (const auto& one : followed)
            QVERIFY2(one.has_value(), one ? "" : one.error().message.c_str());
        QVERIFY(place.holds(8));
        QCOMPARE(start->notices.size(), std::size_t{1});
        const QString notice = QString::fromStdString(start->notices[0]);
        QVERIFY2(notice.contains("process 2") &&
                     notice.contains("model/shard-00003-model-00001-of-00001.safetensors does not "
                                     "match its checksum") &&
                     notice.contains("step-16") && notice.contains("goes on from step 8"),
                 qPrintable(notice));
    }

    void whereNoneCanBeReadTheChiefSaysSo() {
        Place place;
        place.commit(8);
        place.damage(8, 0);
        place.damage(8, 3);
        std::vector<Result<void>> followed;
        const auto start = place.start(followed);
        QVERIFY(!start);
        QCOMPARE(start.error().code, ErrorCode::BadInput);
        QVERIFY2(start.error().message.find("shard-00001-model") != std::string::npos,
                 start.error().message.c_str());
        for (const auto& one : followed)
            QVERIFY(one.has_value());  // the coordinator ends them with the job
    }

    void anotherModelIsRefusedBeforeAnybodyReads() {
        Place place;
        place.commit(8);
        place.small.job.training.globalBatchSize *= 2;
        const std::uint64_t before = bytesRead();
        const auto start = findStart(place.small.job, place.small.data, place.store.folder(), true,
                                     1, nullptr, &*place.restores[0]);
        QVERIFY(!start && start.error().code == ErrorCode::BadInput);
        QVERIFY(bytesRead() - before < (4 << 20));
        QVERIFY(!place.words.get("restore/1", Nanos{0}));
    }

    /// What one file each has been written to process 0 reads and hands out.
    void aWholeCheckpointIsNotReadInParts() {
        Place place;
        WholeState whole = place.state(8);
        place.commit(8);
        auto snapshot = checkpoint::Snapshot();
        snapshot.state = place.store.load(8)->state;
        snapshot.model = modelTensors(place.small.network, whole.parameters);
        const SavedBuffers saved = savedBuffers(place.small.optimizer, whole.buffers());
        snapshot.optimizer = optimizerTensors(place.small.network, saved.state, saved.names);
        QVERIFY(place.store.commit(snapshot).has_value());
        std::vector<Result<void>> followed;
        const auto start = place.start(followed);
        QVERIFY2(start.has_value(), start ? "" : start.error().message.c_str());
        QVERIFY(!start->checkpoint->model.front().values.empty());
        for (const auto& restore : place.restores)
            QVERIFY(restore->parts() == nullptr);
    }
};

QTEST_GUILESS_MAIN(PartRestoreTest)
#include "tst_part_restore.moc"
