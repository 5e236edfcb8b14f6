// SPDX-License-Identifier: Apache-2.0
// Parts of tensors out of shards: the right numbers, verified, and of the files no more than is
// needed.
#include <sys/resource.h>

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <numeric>

#include "core/base/file.h"
#include "core/checkpoint/checkpoint_reader.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/layout.h"
#include "core/checkpoint/shard_index.h"
#include "tests/support/bytes_read.h"
#include "tests/support/checkpoint_samples.h"
#include "tests/support/cut_tensor.h"

using namespace lockstep;
using namespace lockstep::checkpoint;
using namespace lockstep::checkpoint::test;
using lockstep::tests::bytesRead;
namespace fs = std::filesystem;

namespace {

struct Place {
    QTemporaryDir root;
    CheckpointStore store = *CheckpointStore::open(fs::path(root.path().toStdString()) / "c",
                                                   CheckpointStore::Access::Write);

    Result<Committed> commit(const std::vector<TensorRef>& tensors) {
        Snapshot snapshot;
        snapshot.state = Sample(1).snapshot.state;
        snapshot.isSharded = true;
        snapshot.model = tensors;
        return store.commit(snapshot);
    }
    [[nodiscard]] Result<ShardIndex> index() const {
        const auto lease = store.lease(1);
        return ShardIndex::read(lease->folder(), *readManifest(lease->folder(), 1), kModelFolder);
    }
};

std::vector<float> read(ShardIndex& index, const std::string& name, const Box& box) {
    std::vector<float> values(static_cast<std::size_t>(elementsOf(box.shape)));
    const auto done = index.readBox(name, box, std::as_writable_bytes(std::span(values)));
    return done ? values : std::vector<float>();
}

Box randomBox(const std::vector<std::int64_t>& shape, CounterRng& rng) {
    Box box;
    for (const std::int64_t size : shape) {
        const auto at = [&](std::int64_t below) {
            return static_cast<std::int64_t>(rng.nextFloat(0, static_cast<float>(below) - 0.001F));
        };
        box.offsets.push_back(at(size));
        box.shape.push_back(1 + at(size - box.offsets.back()));
    }
    return box;
}

/// A tensor of 4 MiB in four shards, cut by rows or by columns.
constexpr std::int64_t kRows = 1024;
constexpr std::int64_t kColumns = 1024;
constexpr std::int64_t kShards = 4;

std::vector<float> numbers() {
    std::vector<float> values(kRows * kColumns);
    std::iota(values.begin(), values.end(), 0.0F);
    return values;
}

std::vector<TensorRef> byRows(const std::vector<float>& values) {
    std::vector<TensorRef> tensors;
    constexpr std::int64_t kEach = kRows / kShards;
    for (std::int64_t i = 0; i < kShards; ++i)
        tensors.push_back({"w",
                           {kEach, kColumns},
                           std::span(values).subspan(static_cast<std::size_t>(i * kEach * kColumns),
                                                     static_cast<std::size_t>(kEach * kColumns)),
                           {i * kEach, 0},
                           static_cast<int>(i) + 1});
    return tensors;
}

}  // namespace

class ShardIndexTest : public QObject {
    Q_OBJECT
private slots:
    void anyPartIsReadHoweverTheTensorIsCut() {
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            CounterRng rng(seed, 6);
            Place place;
            std::vector<TensorRef> pieces;
            std::vector<CutTensor> tensors;
            for (int i = 0; i < 3; ++i)
                tensors.emplace_back("t" + std::to_string(i), rng);
            for (const CutTensor& tensor : tensors)
                tensor.addTo(pieces);
            QVERIFY(place.commit(pieces).has_value());
            auto index = place.index();
            QVERIFY2(index.has_value(), index ? "" : index.error().message.c_str());
            for (const CutTensor& tensor : tensors)
                for (int i = 0; i < 20; ++i) {
                    const Box box = randomBox(tensor.whole.shape, rng);
                    QCOMPARE(read(*index, tensor.whole.name, box), tensor.part(box));
                }
        }
    }

    void ofTheFilesNoMoreIsReadThanIsNeeded() {
        const auto values = numbers();
        Place place;
        QVERIFY(place.commit(byRows(values)).has_value());
        constexpr std::uint64_t kBlock = 256 << 10;
        std::uint64_t before = bytesRead();
        auto index = place.index();
        QVERIFY(index.has_value());
        // Of each file the block that begins with its header, and the manifest.
        QVERIFY2(bytesRead() - before < kShards * kBlock + (64 << 10), "headers");
        for (const auto& [box, bytes] :
             {std::pair{Box{{256, 0}, {256, kColumns}}, 256 * kColumns * 4},  // a shard
              std::pair{Box{{300, 0}, {64, kColumns}}, 64 * kColumns * 4},    // a part of one
              std::pair{Box{{900, 5}, {1, 7}}, std::int64_t{28}}}) {
            before = bytesRead();
            const auto got = read(*index, "w", box);
            const std::uint64_t taken = bytesRead() - before;
            QCOMPARE(got.size(), static_cast<std::size_t>(elementsOf(box.shape)));
            QCOMPARE(got.front(), static_cast<float>(box.offsets[0] * kColumns + box.offsets[1]));
            QVERIFY2(taken <= static_cast<std::uint64_t>(bytes) + 2 * kBlock,
                     qPrintable(QString("%1 of %2 bytes").arg(taken).arg(bytes)));
        }
    }

    void whoLoadsTheModelAloneLeavesTheRestUnread() {
        const auto values = numbers();
        Place place;
        Snapshot snapshot;
        snapshot.state = Sample(1).snapshot.state;
        snapshot.isSharded = true;
        snapshot.optimizer = byRows(values);
        snapshot.model = {{"b", {4}, std::span(values).first(4), {0}, 1}};
        QVERIFY(place.store.commit(snapshot).has_value());
        std::uint64_t before = bytesRead();
        QCOMPARE(place.store.load(1, Contents::Model)->model.size(), std::size_t{1});
        QVERIFY(place.store.verify(1, Contents::Model).has_value());
        QVERIFY(bytesRead() - before < values.size() * 4 / 10);
        // And whoever looks for the newest that is good and loads it reads it once.
        before = bytesRead();
        const auto newest = place.store.loadLatestGood();
        QVERIFY(newest && newest->loaded && newest->loaded->optimizer.front().values == values);
        QVERIFY(bytesRead() - before < values.size() * 4 * 13 / 10);
    }

    /// As an older version has written them: read once as a whole, and then as others are.
    void aFileWithoutAListOfBlocksIsVerifiedOnceAndThenReadInParts() {
        const auto values = numbers();
        Place place;
        QVERIFY(place.commit(byRows(values)).has_value());
        Manifest manifest = *readManifest(place.store.lease(1)->folder(), 1);
        for (auto& [name, record] : manifest.files)
            record.blocks.clear();
        const std::string text = encodeManifest(manifest);
        const auto path = place.store.folderOf(1) / kManifestFile;
        fs::remove(path);
        QVERIFY(writeNewFileDurably(path, std::as_bytes(std::span(text.data(), text.size()))));
        {
            auto index = place.index();
            QVERIFY2(index.has_value(), index ? "" : index.error().message.c_str());
            QCOMPARE(read(*index, "w", {{0, 0}, {kRows, kColumns}}), values);
            const std::uint64_t before = bytesRead();
            QCOMPARE(read(*index, "w", {{700, 3}, {1, 1}}).front(), values[700 * kColumns + 3]);
            QVERIFY2(bytesRead() - before < 2 * kLeastBlock, "not all of the file again");
            QVERIFY(index->verify().has_value());
        }
        const auto shard = place.store.folderOf(1) / shardName(kModelFolder, 2);
        {
            std::fstream stream(shard, std::ios::in | std::ios::out | std::ios::binary);
            stream.seekp(static_cast<std::streamoff>(fs::file_size(shard)) - 40);
            stream.put('\x55');
        }
        const auto damaged = place.index();  // by whoever reads any of it
        QCOMPARE(damaged.error().message,
                 shardName(kModelFolder, 2) + " does not match its checksum");
        QVERIFY(!place.store.verify(1));
    }

    void ofManyFilesAFewAreOpen() {
        constexpr std::int64_t kFiles = 60;
        std::vector<float> values(kFiles);
        std::iota(values.begin(), values.end(), 0.0F);
        std::vector<TensorRef> pieces;
        for (std::int64_t i = 0; i < kFiles; ++i)
            pieces.push_back({"w",
                              {1},
                              std::span(values).subspan(static_cast<std::size_t>(i), 1),
                              {i},
                              static_cast<int>(i) + 1});
        Place place;
        QVERIFY(place.commit(pieces).has_value());
        rlimit former{};
        QCOMPARE(::getrlimit(RLIMIT_NOFILE, &former), 0);
        const rlimit few{48, former.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &few), 0);
        const auto loaded = place.store.load(1);
        const auto verified = place.store.verify(1);
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &former), 0);
        QVERIFY2(loaded.has_value(), loaded ? "" : loaded.error().message.c_str());
        QCOMPARE(loaded->model.front().values, values);
        QVERIFY(verified.has_value());
    }

    void aDamagedByteIsFoundByWhoeverReadsIt() {
        const auto values = numbers();
        Place place;
        QVERIFY(place.commit(byRows(values)).has_value());
        const std::string file = shardName(kModelFolder, 2);
        const auto path = place.store.folderOf(1) / file;
        const auto damaged = static_cast<std::streamoff>(fs::file_size(path)) - 40;
        {
            std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
            stream.seekp(damaged);
            stream.put('\x55');
        }
        auto index = place.index();
        QVERIFY(index.has_value());  // headers are well
        // The other shards, and the other blocks of this one, are well, too.
        QCOMPARE(read(*index, "w", {{0, 0}, {256, 8}}).size(), std::size_t{256 * 8});
        QCOMPARE(read(*index, "w", {{256, 0}, {1, kColumns}}).size(), std::size_t{kColumns});
        std::vector<float> row(kColumns);
        const auto found =
            index->readBox("w", {{511, 0}, {1, kColumns}}, std::as_writable_bytes(std::span(row)));
        QVERIFY(!found && found.error().code == ErrorCode::Corrupt);
        QCOMPARE(found.error().message, file + " does not match its checksum");
        QVERIFY(!index->verify());
        QVERIFY(!place.store.verify(1));
    }
};

QTEST_GUILESS_MAIN(ShardIndexTest)
#include "tst_shard_index.moc"
