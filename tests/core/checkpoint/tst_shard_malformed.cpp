// SPDX-License-Identifier: Apache-2.0
// Shards that no honest program has written, with checksums that fit: an error, or the numbers that
// are there; never more memory than the files have bytes, nor any of somebody else's.
#include <QTemporaryDir>
#include <QtTest>
#include <cstring>
#include <limits>
#include <tuple>

#include "core/base/file.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_reader.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/checkpoint/layout.h"
#include "core/checkpoint/shard_index.h"
#include "tests/support/checkpoint_samples.h"

using namespace lockstep;
using namespace lockstep::checkpoint;
using namespace lockstep::checkpoint::test;
namespace fs = std::filesystem;

namespace {

/// A tensor, or a part of it, of ascending bytes.
struct Piece {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> offsets;
    DType dtype = DType::U8;
};

/// Writes files whose headers and manifest say of them what it likes.
class Forger final : public ShardCrew {
public:
    Forger(fs::path checkpoints, std::vector<std::vector<Piece>> files)
        : checkpoints_(std::move(checkpoints)), files_(std::move(files)) {}

    Result<void> order(const ShardOrder& order) override {
        folder_ = order.folder;
        return {};
    }
    Result<FileRecords> collect() override {
        FileRecords records;
        for (std::size_t number = 0; number < files_.size(); ++number) {
            std::string bytes(4096, '\0');
            for (std::size_t i = 0; i < bytes.size(); ++i)
                bytes[i] = static_cast<char>(i + 16 * number);
            std::vector<ShardPiece> pieces;
            for (const Piece& piece : files_[number]) {
                const auto count = static_cast<std::size_t>(elementsOf(piece.shape));
                pieces.push_back(
                    {{piece.name, piece.dtype, piece.shape,
                      std::string_view(bytes).substr(0, count * checkpoint::bytesOf(piece.dtype))},
                     piece.offsets});
            }
            TRY(writeShard(checkpoints_ / folder_, kModelFolder, static_cast<int>(number) + 1,
                           pieces, records));
        }
        return records;
    }

private:
    const fs::path checkpoints_;
    const std::vector<std::vector<Piece>> files_;
    std::string folder_;
};

struct Place {
    QTemporaryDir root;
    CheckpointStore store = *CheckpointStore::open(fs::path(root.path().toStdString()) / "c",
                                                   CheckpointStore::Access::Write);

    /// As step 1.
    Result<Committed> commit(std::vector<std::vector<Piece>> files) {
        Snapshot snapshot;
        snapshot.state = Sample(1).snapshot.state;
        snapshot.isSharded = true;
        Forger forger(store.folder(), std::move(files));
        return store.commit(snapshot, &forger);
    }
    [[nodiscard]] Result<ShardIndex> index() const {
        const auto lease = TRY(store.lease(1));
        return ShardIndex::read(lease.folder(), TRY(readManifest(lease.folder(), 1)), kModelFolder);
    }
    /// Lets the manifest say something else, with a checksum that fits.
    template <typename Change>
    void forge(const Change& change) const {
        Manifest manifest = *readManifest(store.lease(1)->folder(), 1);
        change(manifest);
        const std::string text = encodeManifest(manifest);
        fs::remove(store.folderOf(1) / kManifestFile);
        QVERIFY(writeNewFileDurably(store.folderOf(1) / kManifestFile,
                                    std::as_bytes(std::span(text.data(), text.size())))
                    .has_value());
    }
};

std::string messageOf(const auto& result) {
    return result ? std::string() : result.error().message;
}

/// All of a tensor, in a buffer with a margin: nothing where it could not be read, or the margin
/// was written to.
std::optional<std::vector<std::uint8_t>> readAll(ShardIndex& index, const std::string& name) {
    constexpr std::size_t kMargin = 512;
    constexpr std::uint8_t kUnwritten = 0xA5;
    const Box box = index.tensors().at(name).box();
    const auto count = static_cast<std::size_t>(elementsOf(box.shape));
    std::vector<std::uint8_t> bytes(count + 2 * kMargin, kUnwritten);
    if (!index.readBox(name, box, std::as_writable_bytes(std::span(bytes)).subspan(kMargin, count)))
        return std::nullopt;
    const auto isUnwritten = [](std::uint8_t byte) { return byte == kUnwritten; };
    if (!std::all_of(bytes.begin(), bytes.begin() + kMargin, isUnwritten) ||
        !std::all_of(bytes.end() - kMargin, bytes.end(), isUnwritten))
        return std::nullopt;
    return std::vector<std::uint8_t>(bytes.begin() + kMargin, bytes.end() - kMargin);
}

constexpr std::int64_t kBound = std::int64_t{1} << 40;  // no tensor's dimension is larger
constexpr std::int64_t kTwoTo31 = std::int64_t{1} << 31;
constexpr std::int64_t kTwoTo32 = std::int64_t{1} << 32;

/// What `files` make of the tensor w, element by element, where each of its elements is in exactly
/// one of them.
std::optional<std::vector<std::uint8_t>> expectedOf(const std::vector<std::vector<Piece>>& files) {
    std::vector<std::int64_t> whole;
    std::vector<Piece> pieces;
    std::vector<std::size_t> numbers;
    for (std::size_t number = 0; number < files.size(); ++number)
        for (const Piece& piece : files[number])
            if (piece.name == "w") {
                pieces.push_back(piece);
                numbers.push_back(number);
            }
    for (const Piece& piece : pieces) {
        whole.resize(piece.shape.size());
        for (std::size_t axis = 0; axis < whole.size(); ++axis) {
            if (piece.offsets[axis] > kBound || piece.shape[axis] > kBound - piece.offsets[axis])
                return std::nullopt;
            whole[axis] = std::max(whole[axis], piece.offsets[axis] + piece.shape[axis]);
        }
    }
    if (elementsOf(whole) > 4096) return std::nullopt;
    std::vector<int> found(static_cast<std::size_t>(elementsOf(whole)));
    std::vector<std::uint8_t> values(found.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const std::int64_t count = elementsOf(pieces[i].shape);
        if (count == 0 && pieces.size() > 1) return std::nullopt;
        for (std::int64_t element = 0; element < count; ++element) {
            std::int64_t rest = element;
            std::int64_t place = 0;
            std::int64_t stride = 1;
            for (std::size_t axis = whole.size(); axis-- > 0;) {
                place += (pieces[i].offsets[axis] + rest % pieces[i].shape[axis]) * stride;
                rest /= pieces[i].shape[axis];
                stride *= whole[axis];
            }
            ++found[static_cast<std::size_t>(place)];
            values[static_cast<std::size_t>(place)] =
                static_cast<std::uint8_t>(element + 16 * static_cast<std::int64_t>(numbers[i]));
        }
    }
    const bool isWhole = std::all_of(found.begin(), found.end(), [](int n) { return n == 1; });
    return isWhole ? std::optional(values) : std::nullopt;
}

/// A tensor cut by rows into 1 to 4 files, of which none, one or several sizes and places are not
/// so; now and then as large as a number can be, and then of no element at all.
std::vector<std::vector<Piece>> randomPieces(CounterRng& rng) {
    constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t kOdd[] = {0, 1, 2, 3, kTwoTo31, kTwoTo32, kBound, kBound + 1, kLargest};
    const std::uint32_t rank = 1 + rng.nextBelow(3);
    const std::uint32_t oneIn = rng.nextBelow(4) == 0 ? 1000 : 3 + rng.nextBelow(8);
    const auto odd = [&](std::int64_t usual) {
        return rng.nextBelow(oneIn) == 0 ? kOdd[rng.nextBelow(std::size(kOdd))] : usual;
    };
    std::vector<std::vector<Piece>> files(1 + rng.nextBelow(4));
    std::int64_t row = 0;
    std::int64_t number = 0;
    for (auto& file : files) {
        const std::int64_t rows = 1 + rng.nextBelow(3);
        Piece piece{"w", {odd(rows)}, {odd(row)}};
        row += rows;
        for (std::int64_t axis = 1; axis < rank; ++axis) {
            piece.shape.push_back(odd(axis + 2));
            piece.offsets.push_back(odd(0));
        }
        if (elementsOf(piece.shape) > 1024) piece.shape[rng.nextBelow(rank)] = 0;
        file = {piece, {"other", {64}, {64 * number++}}};
    }
    return files;
}

}  // namespace

class ShardMalformedTest : public QObject {
    Q_OBJECT
private slots:
    void aPieceWithoutNumbersIsNotWrittenBeyondTheTensor() {
        Place place;
        QVERIFY(place
                    .commit({{{"w", {2, 6}, {0, 0}}},
                             {{"w", {2, 6}, {2, 0}}},
                             {{"w", {0, 3}, {2, 0}}, {"other", {4000}, {0}}}})
                    .has_value());
        const auto index = place.index();
        QVERIFY(!index);
        QCOMPARE(index.error().code, ErrorCode::Corrupt);
        QCOMPARE(messageOf(index), std::string("the parts of w do not make up a whole tensor"));
        QVERIFY(!place.store.load(1));
    }

    void aTensorOfNoNumbersHasNoneHoweverLargeItsOtherSizes() {
        Place place;
        QVERIFY(place.commit({{{"w", {kTwoTo32, kTwoTo31, 0}, {0, 0, 0}}}}).has_value());
        auto index = place.index();
        QVERIFY2(index.has_value(), messageOf(index).c_str());
        QCOMPARE(elementsOf(index->tensors().at("w").shape), std::int64_t{0});
        QVERIFY(readAll(*index, "w")->empty());
    }

    void whatEndsWhereNoTensorDoesIsRefused() {
        constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
        for (const auto& [shape, offsets] :
             {std::pair{std::vector<std::int64_t>{0, kLargest}, std::vector<std::int64_t>{0, 5}},
              {{1, 1}, {0, kBound}},
              {{0, kBound}, {0, 1}}}) {
            Place place;
            QVERIFY(place.commit({{{"w", shape, offsets}}}).has_value());
            const auto index = place.index();
            QVERIFY2(messageOf(index).ends_with(": w ends beyond 1099511627776 along axis 1"),
                     messageOf(index).c_str());
        }
    }

    void whateverPiecesThereAreTheyMakeUpATensorOrAreRefused() {
        int accepted = 0;
        int refused = 0;
        for (std::uint64_t seed = 1; seed <= 200; ++seed) {
            CounterRng rng(seed, 12);
            const auto files = randomPieces(rng);
            Place place;
            if (!place.commit(files)) continue;  // a shape that no file can have
            auto index = place.index();
            const auto expected = expectedOf(files);
            QVERIFY2(index.has_value() == expected.has_value(), qPrintable(QString::number(seed)));
            ++(index ? accepted : refused);
            if (!index) continue;
            QVERIFY2(readAll(*index, "w") == expected, qPrintable(QString::number(seed)));
            QCOMPARE(readAll(*index, "other")->size(), 64 * files.size());
        }
        QVERIFY2(accepted > 30 && refused > 60,
                 qPrintable(QString("%1 accepted, %2 refused").arg(accepted).arg(refused)));
    }

    void aBlockIsNeverLargerThanAReaderTakes() {
        Place place;
        QVERIFY(place.commit({{{"w", {4}, {0}}}}).has_value());
        const std::string file = shardName(kModelFolder, 1);
        constexpr std::uint64_t kSparse = std::uint64_t{64} << 30;
        fs::resize_file(place.store.folderOf(1) / file, kSparse);
        place.forge([&](Manifest& manifest) {
            FileRecord& record = manifest.files.at(file);
            record.bytes = kSparse;
            record.blockBytes = std::uint64_t{1} << 40;
            record.blocks = {record.hash};
        });
        QCOMPARE(messageOf(place.index()),
                 "the manifest's blocks of " + file +
                     " have 1099511627776 bytes; at most 67108864 are read");
        for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, kLeastBlock,
                                          4096 * kLeastBlock, 4096 * kLeastBlock + 1, kSparse}) {
            const std::uint64_t block = blockBytesOf(bytes);
            QVERIFY(block >= kLeastBlock && block <= kLargestBlock && bytes <= 4096 * block);
            QCOMPARE(block == kLeastBlock, bytes <= 4096 * kLeastBlock);
        }
        QCOMPARE(blockBytesOf(~std::uint64_t{0}), kLargestBlock);
    }

    void aManifestThatNobodyWouldReadIsNotCommitted() {
        Place place;
        QVERIFY(place.commit({{{"w", {4}, {0}}}}).has_value());
        class Talker final : public ShardCrew {
        public:
            Result<void> order(const ShardOrder&) override { return {}; }
            Result<FileRecords> collect() override {
                return FileRecords{
                    {"model/x",
                     {.bytes = 1, .hash = std::string(kLargestManifest, 'h'), .tensors = {}}}};
            }
        } talker;
        Snapshot snapshot;
        snapshot.state = Sample(2).snapshot.state;
        snapshot.isSharded = true;
        const auto committed = place.store.commit(snapshot, &talker);
        QCOMPARE(committed.error().code, ErrorCode::BadInput);
        QVERIFY2(
            messageOf(committed).find("and no more than 67108864 are read") != std::string::npos,
            messageOf(committed).c_str());
        QCOMPARE(*place.store.list(), std::vector<std::int64_t>{1});
        QCOMPARE(*place.store.latest(), std::int64_t{1});
    }

    void aManifestListsFilesOfACheckpointOnly() {
        for (const char* name : {"model/../state.json", "../x", "model/.x", "other/x"}) {
            Place place;
            QVERIFY(place.commit({{{"w", {4}, {0}}}}).has_value());
            place.forge([&](Manifest& manifest) {
                manifest.files[name] = manifest.files.at(shardName(kModelFolder, 1));
            });
            QCOMPARE(messageOf(place.index()),
                     "manifest.json: " + std::string(name) + " is no file of a checkpoint");
        }
    }
};

QTEST_GUILESS_MAIN(ShardMalformedTest)
#include "tst_shard_malformed.moc"
