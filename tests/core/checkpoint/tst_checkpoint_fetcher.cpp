// SPDX-License-Identifier: Apache-2.0
// Checkpoints that travel piece by piece, and what may happen to them on the way.
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <functional>

#include "core/checkpoint/checkpoint_fetcher.h"
#include "core/checkpoint/checkpoint_provider.h"
#include "core/checkpoint/checkpoint_store.h"
#include "tests/support/checkpoint_samples.h"

using namespace lockstep;
using namespace lockstep::checkpoint;
using lockstep::checkpoint::test::Sample;

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kFloats = 200'000;  // a model and an optimizer of several pieces each

/// A provider as its readers reach it; a test may lay hands on every answer.
class Line final : public CheckpointSource {
public:
    explicit Line(fs::path folder) : provider(std::move(folder)) {}
    Result<CheckpointListing> list() override { return provider.list(); }
    Result<std::string> read(std::int64_t step, const std::string& file, std::uint64_t offset,
                             std::uint32_t length) override {
        ++pieces;
        auto piece = provider.read("evaluator", step, file, offset, length, now);
        if (onPiece) onPiece(file, offset, piece);
        return piece;
    }

    CheckpointProvider provider;
    Nanos now{};
    int pieces = 0;
    std::function<void(const std::string& file, std::uint64_t offset, Result<std::string>& piece)>
        onPiece;
};

/// A run folder with checkpoints, and another host's.
struct Two {
    QTemporaryDir root;
    fs::path there = fs::path(root.filePath("there").toStdString());
    fs::path here = fs::path(root.filePath("here").toStdString());
    CheckpointStore writer = *CheckpointStore::open(there, CheckpointStore::Access::Write);
    Line line{there};
    bool cancelled = false;
    CheckpointFetcher fetcher{line, here, [this] { return cancelled; }};

    void commit(std::int64_t step) {
        const Sample sample(step, kFloats);
        QVERIFY(writer.commit(sample.snapshot));
    }
    [[nodiscard]] bool holds(std::int64_t step) const {
        const auto store = CheckpointStore::open(here, CheckpointStore::Access::Read);
        const auto loaded = store ? store->load(step) : fail(store.error());
        return loaded && Sample(step, kFloats).equals(*loaded);
    }
    [[nodiscard]] QStringList filesHere() const {
        return QDir(QString::fromStdString(here.string()))
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }
};

}  // namespace

class CheckpointFetcherTest : public QObject {
    Q_OBJECT
private slots:
    void whatIsFetchedIsWhatWasCommitted() {
        Two two;
        two.commit(7);
        const auto fetched = two.fetcher.fetch(7);
        QVERIFY2(fetched.has_value(), fetched ? "" : fetched.error().message.c_str());
        QVERIFY(two.holds(7));
        QCOMPARE(two.filesHere(), QStringList{"step-7"});
        const int pieces = two.line.pieces;
        QVERIFY(two.fetcher.fetch(7));  // it is there
        QCOMPARE(two.line.pieces, pieces);
        two.fetcher.forget(7);
        QCOMPARE(two.filesHere(), QStringList());
    }

    void whoNeedsTheModelAloneFetchesNothingElse() {
        Two two;
        two.commit(7);
        two.line.onPiece = [](const std::string& file, std::uint64_t, auto&) {
            QVERIFY2(file != "optimizer.safetensors", "twice the model's size");
        };
        CheckpointFetcher fetcher(
            two.line, two.here, [] { return false; }, Contents::Model);
        QVERIFY(fetcher.fetch(7));
        const auto store = CheckpointStore::open(two.here, CheckpointStore::Access::Read);
        const auto loaded = store->load(7, Contents::Model);
        QVERIFY2(loaded.has_value(), loaded ? "" : loaded.error().message.c_str());
        QCOMPARE(loaded->modelHash, two.writer.load(7)->modelHash);
    }

    void aBitThatFlipsOnceIsFetchedAgain() {
        Two two;
        two.commit(7);
        bool flipped = false;
        two.line.onPiece = [&](const std::string& file, std::uint64_t offset, auto& piece) {
            if (flipped || file != "model.safetensors" || offset == 0) return;
            piece->at(100) ^= 1;
            flipped = true;
        };
        QVERIFY(two.fetcher.fetch(7));
        QVERIFY(flipped);
        QVERIFY(two.holds(7));
    }

    void damagedBytesAreNeverPlaced_data() {
        QTest::addColumn<QString>("file");
        for (const char* file :
             {"manifest.json", "state.json", "model.safetensors", "optimizer.safetensors"})
            QTest::newRow(file) << file;
    }
    void damagedBytesAreNeverPlaced() {
        QFETCH(QString, file);
        Two two;
        two.commit(7);
        two.line.onPiece = [&](const std::string& name, std::uint64_t offset, auto& piece) {
            if (name == file.toStdString() && offset == 0 && !piece->empty())
                piece->at(piece->size() / 2) ^= 4;
        };
        const auto fetched = two.fetcher.fetch(7);
        QVERIFY(!fetched);
        QCOMPARE(fetched.error().code, ErrorCode::Corrupt);
        QCOMPARE(two.filesHere(), QStringList());
    }

    void aFetchThatWasCutOffGoesOnWhereItStopped() {
        Two two;
        two.commit(7);
        int left = 4;
        two.line.onPiece = [&](const std::string&, std::uint64_t, Result<std::string>& piece) {
            if (left-- <= 0) piece = fail(ErrorCode::PeerLost, "the line is cut");
        };
        QCOMPARE(two.fetcher.fetch(7).error().code, ErrorCode::PeerLost);
        QVERIFY(!two.filesHere().contains("step-7"));
        two.line.onPiece = nullptr;
        two.line.pieces = 0;
        CheckpointFetcher later(two.line, two.here, [] { return false; });
        QVERIFY(later.fetch(7));
        QVERIFY(two.holds(7));
        const int rest = two.line.pieces;
        QCOMPARE(two.filesHere(), QStringList{"step-7"});
        later.forget(7);
        two.line.pieces = 0;
        QVERIFY(later.fetch(7));
        QVERIFY2(rest < two.line.pieces, "the second fetch began anew");
    }

    void aCheckpointThatIsDeletedMeanwhileIsNotFound() {
        Two two;
        two.commit(7);
        two.commit(8);
        bool deleted = false;
        two.line.onPiece = [&](const std::string& file, std::uint64_t offset, auto&) {
            if (deleted || file != "model.safetensors" || offset == 0) return;
            deleted = true;
            two.line.now += std::chrono::minutes(1);  // its reader has been away for too long
            two.line.provider.release(two.line.now);
            fs::remove_all(two.there / "step-7");
        };
        QCOMPARE(two.fetcher.fetch(7).error().code, ErrorCode::NotFound);
        QVERIFY(deleted);
        QCOMPARE(two.filesHere(), QStringList());
        QVERIFY(two.fetcher.fetch(8));
        QVERIFY(two.holds(8));
    }

    void whatIsBeingFetchedIsNotPruned() {
        Two two;
        for (const int step : {1, 2, 3, 4})
            two.commit(step);
        bool pruned = false;
        two.line.onPiece = [&](const std::string& file, std::uint64_t offset, auto&) {
            if (pruned || file != "model.safetensors" || offset == 0) return;
            pruned = true;
            QCOMPARE(*two.writer.prune(2), (std::vector<std::int64_t>{2}));
        };
        QVERIFY(two.fetcher.fetch(1));
        QVERIFY(pruned);
        QVERIFY(two.holds(1));
        two.line.provider.release(std::chrono::minutes(1));
        QCOMPARE(*two.writer.prune(2), (std::vector<std::int64_t>{1}));
    }

    void aStepThatIsCommittedAgainIsFetchedAsItIsNow() {
        Two two;
        two.commit(7);
        two.cancelled = true;
        QCOMPARE(two.fetcher.fetch(7).error().code, ErrorCode::Cancelled);
        two.cancelled = false;
        int left = 4;
        two.line.onPiece = [&](const std::string&, std::uint64_t, Result<std::string>& piece) {
            if (left-- <= 0) piece = fail(ErrorCode::Timeout, "nobody answers");
        };
        QCOMPARE(two.fetcher.fetch(7).error().code, ErrorCode::Timeout);
        two.line.onPiece = nullptr;
        Sample other(7, kFloats);
        other.values[5] += 1;
        QVERIFY(two.writer.commit(other.snapshot));
        QVERIFY(two.fetcher.fetch(7));
        const auto store = CheckpointStore::open(two.here, CheckpointStore::Access::Read);
        QVERIFY(other.equals(*store->load(7)));
    }

    void onlyFilesOfCommittedCheckpointsAreHandedOut_data() {
        QTest::addColumn<QString>("file");
        for (const char* file : {"../LATEST", "/etc/passwd", "..", ".", "", "secret", "sub/file",
                                 "link", "./manifest.json"})
            QTest::newRow(file) << file;
    }
    void onlyFilesOfCommittedCheckpointsAreHandedOut() {
        QFETCH(QString, file);
        Two two;
        two.commit(7);
        QFile secret(QString::fromStdString((two.there / "step-7" / "secret").string()));
        QVERIFY(secret.open(QIODevice::WriteOnly));
        fs::create_symlink("/etc/passwd", two.there / "step-7" / "link");
        const auto piece = two.line.read(7, file.toStdString(), 0, 100);
        QVERIFY(!piece);
        QCOMPARE(piece.error().code, ErrorCode::BadInput);
    }

    void aListedFileThatIsALinkIsNotFollowed() {
        Two two;
        two.commit(7);
        fs::remove(two.there / "step-7" / "state.json");
        fs::create_symlink("/etc/passwd", two.there / "step-7" / "state.json");
        QVERIFY(!two.line.read(7, "state.json", 0, 100));
    }

    void piecesHaveALimit() {
        Two two;
        two.commit(7);
        QVERIFY(!two.line.read(7, "state.json", 0, 0));
        QVERIFY(!two.line.read(7, "state.json", 0, kLargestPiece + 1));
        QVERIFY(two.line.read(7, "state.json", 1'000'000'000, 10)->empty());
        QVERIFY(!two.line.read(9, "state.json", 0, 10));
    }

    void aFolderThatIsNotThereYetIsAnEmptyList() {
        const QTemporaryDir root;
        const CheckpointProvider provider(root.filePath("later").toStdString());
        const auto listing = provider.list();
        QVERIFY(listing && listing->steps.empty() && !listing->latest && !listing->best);
    }
};

QTEST_GUILESS_MAIN(CheckpointFetcherTest)
#include "tst_checkpoint_fetcher.moc"
