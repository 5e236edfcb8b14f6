// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>

#include "core/base/clock.h"
#include "core/base/rng.h"
#include "core/checkpoint/checkpoint_store.h"
#include "tests/support/checkpoint_samples.h"

using namespace lockstep;
using namespace lockstep::checkpoint;
using test::Sample;
namespace fs = std::filesystem;

namespace {

CheckpointStore writer(const fs::path& folder) {
    auto store = CheckpointStore::open(folder, CheckpointStore::Access::Write);
    if (!store) qFatal("%s", store.error().message.c_str());
    return std::move(*store);
}

void commit(CheckpointStore& store, std::int64_t step, std::size_t floats = 64) {
    const Sample sample(step, floats);
    if (const auto done = store.commit(sample.snapshot); !done)
        qFatal("%s", done.error().message.c_str());
}

std::string contentOf(const fs::path& path) {
    return readFile(path, 1 << 30).value_or("unreadable");
}

void overwrite(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

using Steps = std::vector<std::int64_t>;

}  // namespace

class CheckpointStoreTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> temporary_;
    fs::path folder_;

    QStringList names() const {
        return QDir(QString::fromStdString(folder_.string()))
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDir::Name);
    }

private slots:
    void init() {
        temporary_ = std::make_unique<QTemporaryDir>();
        folder_ = fs::path(temporary_->path().toStdString()) / "checkpoints";
    }

    void whatWasCommittedIsLoaded() {
        CheckpointStore store = writer(folder_);
        const Sample sample(500);
        const auto committed = store.commit(sample.snapshot);
        QVERIFY(committed.has_value());
        QCOMPARE(committed->folder, folder_ / "step-500");
        const auto loaded = store.load(500);
        QVERIFY(loaded.has_value());
        QVERIFY(sample.equals(*loaded));
        QCOMPARE(loaded->modelHash.size(), std::size_t{32});
        QCOMPARE(store.latest().value_or(-1), std::int64_t{500});
        QCOMPARE(names(), (QStringList{"LATEST", "step-500"}));
        QCOMPARE(
            QDir(QString::fromStdString((folder_ / "step-500").string())).entryList(QDir::Files),
            (QStringList{"manifest.json", "model.safetensors", "optimizer.safetensors",
                         "state.json"}));
    }
    void aModelWithoutOptimizerStateIsACheckpoint() {
        CheckpointStore store = writer(folder_);
        Sample sample(1);
        sample.snapshot.optimizer.clear();
        sample.snapshot.state.seed = UINT64_MAX;
        QVERIFY(store.commit(sample.snapshot).has_value());
        QVERIFY(sample.equals(*store.load(1)));
    }
    void anEmptyFolderHasNoGoodCheckpoint() {
        QCOMPARE(CheckpointStore::open(folder_, CheckpointStore::Access::Read).error().code,
                 ErrorCode::NotFound);
        const CheckpointStore store = writer(folder_);
        const auto good = store.latestGood();
        QVERIFY(good && !good->step && good->rejected.empty());
        QCOMPARE(store.latest().error().code, ErrorCode::NotFound);
        QCOMPARE(store.load(7).error().code, ErrorCode::NotFound);
    }
    void theSameStepCanBeCommittedAgain() {
        CheckpointStore store = writer(folder_);
        commit(store, 10);
        Sample again(10);
        again.values[0] = 99;
        QVERIFY(store.commit(again.snapshot).has_value());
        QVERIFY(again.equals(*store.load(10)));
        QCOMPARE(names(), (QStringList{"LATEST", "step-10"}));
    }
    void everyFlippedBitIsDetectedAndThePreviousOneIsUsed() {
        CheckpointStore store = writer(folder_);
        commit(store, 10, 16);
        commit(store, 20, 16);
        CounterRng rng(1);
        for (const char* name :
             {"manifest.json", "model.safetensors", "optimizer.safetensors", "state.json"}) {
            const fs::path path = folder_ / "step-20" / name;
            const std::string whole = contentOf(path);
            for (int trial = 0; trial < 125; ++trial) {
                std::string damaged = whole;
                const std::uint32_t bit =
                    rng.nextBelow(static_cast<std::uint32_t>(whole.size() * 8));
                damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
                overwrite(path, damaged);
                const auto good = store.latestGood();
                QVERIFY2(good && good->step == 10,
                         qPrintable(QString("%1 bit %2").arg(name).arg(bit)));
                QCOMPARE(good->rejected.size(), std::size_t{1});
                QVERIFY(good->rejected[0].find("step-20") != std::string::npos);
            }
            overwrite(path, whole);
        }
        QCOMPARE(store.latestGood()->step, std::optional<std::int64_t>(20));
    }
    void everyTruncationAndLossOfAFileIsDetected() {
        CheckpointStore store = writer(folder_);
        commit(store, 10, 16);
        commit(store, 20, 16);
        for (const char* name :
             {"manifest.json", "model.safetensors", "optimizer.safetensors", "state.json"}) {
            const fs::path path = folder_ / "step-20" / name;
            const std::string whole = contentOf(path);
            for (std::size_t length = 0; length < whole.size(); length += 7) {
                overwrite(path, whole.substr(0, length));
                QCOMPARE(store.verify(20).error().code, ErrorCode::Corrupt);
            }
            overwrite(path, whole + "x");
            QCOMPARE(store.verify(20).error().code, ErrorCode::Corrupt);
            fs::remove(path);
            QCOMPARE(store.verify(20).error().code, ErrorCode::Corrupt);
            fs::create_symlink("/etc/passwd", path);
            QCOMPARE(store.verify(20).error().code, ErrorCode::Corrupt);
            QCOMPARE(store.latestGood()->step, std::optional<std::int64_t>(10));
            fs::remove(path);
            overwrite(path, whole);
            QVERIFY(store.verify(20).has_value());
        }
    }
    void aCheckpointUnderAnotherNameIsRefused() {
        CheckpointStore store = writer(folder_);
        commit(store, 10);
        fs::copy(folder_ / "step-10", folder_ / "step-30");
        QCOMPARE(store.verify(30).error().code, ErrorCode::Corrupt);
    }
    void aDamagedLatestFallsBackToTheNewestGoodOne() {
        CheckpointStore store = writer(folder_);
        commit(store, 10);
        commit(store, 20);
        const std::string whole = contentOf(folder_ / "LATEST");
        for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
            std::string damaged = whole;
            damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
            overwrite(folder_ / "LATEST", damaged);
            QVERIFY(!store.latest());
            const auto good = store.latestGood();
            QVERIFY(good && good->step == 20 && good->rejected.size() == 1);
        }
        overwrite(folder_ / "LATEST", "");
        QCOMPARE(store.latestGood()->step, std::optional<std::int64_t>(20));
        fs::remove(folder_ / "LATEST");
        QCOMPARE(store.latestGood()->step, std::optional<std::int64_t>(20));
    }
    void foreignNamesAreIgnoredAndLeftAlone() {
        for (const char* name :
             {"step-", "step-007", "step--1", "step-5x", "notes", "step-99999999999999999999"})
            fs::create_directories(folder_ / name);
        CheckpointStore store = writer(folder_);
        commit(store, 1);
        commit(store, 2);
        QCOMPARE(*store.list(), (Steps{1, 2}));
        QCOMPARE(*store.prune(1), (Steps{1}));
        QCOMPARE(names().size(), 8);
    }
    void onlyAWriterRemovesWhatACrashedOneLeft() {
        {
            CheckpointStore store = writer(folder_);
            commit(store, 1);
        }
        fs::create_directories(folder_ / ".tmp-2-999-abcd");
        overwrite(folder_ / ".tmp-2-999-abcd" / "model.safetensors", "half");
        overwrite(folder_ / "LATEST.tmp-999-999", "half");
        QVERIFY(CheckpointStore::open(folder_, CheckpointStore::Access::Read).has_value());
        QCOMPARE(names().size(), 4);
        const CheckpointStore store = writer(folder_);
        QCOMPARE(names(), (QStringList{"LATEST", "step-1"}));
    }
    void aSecondWriterIsRefusedUntilTheFirstHasGone() {
        auto first = std::make_unique<CheckpointStore>(writer(folder_));
        const auto second = CheckpointStore::open(folder_, CheckpointStore::Access::Write);
        QVERIFY(!second);
        QCOMPARE(second.error().code, ErrorCode::Unavailable);
        first.reset();
        QVERIFY(CheckpointStore::open(folder_, CheckpointStore::Access::Write).has_value());
    }
    void pruningKeepsTheNewest() {
        CheckpointStore store = writer(folder_);
        for (std::int64_t step = 1; step <= 6; ++step)
            commit(store, step);
        QCOMPARE(*store.prune(3), (Steps{1, 2, 3}));
        QCOMPARE(*store.prune(3), Steps{});
        QCOMPARE(*store.prune(0), (Steps{4, 5}));  // one always stays
        QCOMPARE(*store.list(), (Steps{6}));
    }
    void pruningNeverRemovesTheNewestGoodOne() {
        CheckpointStore store = writer(folder_);
        for (std::int64_t step = 1; step <= 5; ++step)
            commit(store, step);
        for (const int step : {3, 4, 5})
            overwrite(store.folderOf(step) / "model.safetensors", "rot");
        QCOMPARE(*store.prune(2), (Steps{1, 3}));
        QCOMPARE(*store.list(), (Steps{2, 4, 5}));
        for (const int step : {2, 4, 5})
            overwrite(store.folderOf(step) / "model.safetensors", "rot");
        QCOMPARE(*store.prune(1), Steps{});  // nothing verifies: nothing is thrown away
    }
    void aLeasedCheckpointIsNotPruned() {
        CheckpointStore store = writer(folder_);
        for (std::int64_t step = 1; step <= 3; ++step)
            commit(store, step);
        const auto reader = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
        {
            const auto lease = reader->lease(1);
            QVERIFY(lease.has_value());
            QCOMPARE(*store.prune(1), (Steps{2}));
            QVERIFY(reader->load(1).has_value());
        }
        QCOMPARE(*store.prune(1), (Steps{1}));
        QCOMPARE(reader->lease(1).error().code, ErrorCode::NotFound);
    }
    void readersNeverSeeHalfACheckpoint() {
        CheckpointStore store = writer(folder_);
        commit(store, 1, 5000);
        std::atomic<bool> done = false;
        std::atomic<int> loads = 0;
        std::atomic<int> bad = 0;
        std::vector<std::jthread> readers;
        for (int i = 0; i < 3; ++i)
            readers.emplace_back([&] {
                const auto reader = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
                while (!done) {
                    const auto steps = reader->list();
                    for (const std::int64_t step : *steps) {
                        const auto loaded = reader->load(step);
                        if (!loaded && loaded.error().code == ErrorCode::NotFound) continue;
                        if (!loaded) qWarning("%s", loaded.error().message.c_str());
                        if (!loaded || !Sample(step, 5000).equals(*loaded)) ++bad;
                        ++loads;
                    }
                    if (!reader->latest()) ++bad;
                }
            });
        const Nanos start = SteadyClock::read();
        for (std::int64_t step = 2;
             SteadyClock::read() - start < std::chrono::seconds(2) || loads < 200; ++step) {
            commit(store, step, 5000);
            commit(store, step, 5000);  // again: the two change places
            QVERIFY(store.prune(2).has_value());
            if (SteadyClock::read() - start > std::chrono::seconds(60)) break;
        }
        done = true;
        readers.clear();
        QCOMPARE(bad.load(), 0);
        QVERIFY(loads >= 200);
        QVERIFY(store.prune(2).has_value());
        QVERIFY(names().size() <= 3);
    }
    void aFileThatCannotGrowIsAnErrorAndTheOldCheckpointStays() {
        CheckpointStore store = writer(folder_);
        commit(store, 1);
        rlimit before{};
        getrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit small{20'000, before.rlim_max};
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
        const Sample sample(2, 10'000);
        const auto result = store.commit(sample.snapshot);
        setrlimit(RLIMIT_FSIZE, &before);
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::NoRoom);  // as a full disk: worth another try
        QCOMPARE(names(), (QStringList{"LATEST", "step-1"}));
        QVERIFY(Sample(1).equals(*store.load(1)));
        QVERIFY(store.commit(sample.snapshot).has_value());  // the store is still of use
    }
    void anUnwritableFolderIsAnError() {
        const auto store =
            CheckpointStore::open("/proc/checkpoints", CheckpointStore::Access::Write);
        QVERIFY(!store);
        QVERIFY(store.error().message.find("/proc/checkpoints") != std::string::npos);
        CheckpointStore gone = writer(folder_);
        fs::remove_all(folder_);
        QVERIFY(!gone.commit(Sample(1).snapshot));
    }
};

QTEST_GUILESS_MAIN(CheckpointStoreTest)
#include "tst_checkpoint_store.moc"
