// SPDX-License-Identifier: Apache-2.0
// Copies of committed checkpoints on a second host, and what may happen to them.
#include <sys/mount.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "core/checkpoint/checkpoint_copies.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/kept_mark.h"
#include "core/checkpoint/suspect_mark.h"
#include "tests/support/checkpoint_samples.h"
#include "tests/support/folder_source.h"

using namespace lockstep;
using namespace lockstep::checkpoint;
using namespace std::chrono_literals;
using test::Sample;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kFloats = 64;
constexpr int kProcessMilliseconds = 30'000;
constexpr int kCallsOfTheLoader = 16;  // at most, before the program's own: they do not count

/// A run's folder of checkpoints, and that of its copies.
struct Two {
    explicit Two(const fs::path& root, int keep = 2)
        : there(root / "there"),
          here(root / "here"),
          copies(source, here, keep, [this] { return cancelled; }) {}

    void commit(std::int64_t step, std::int64_t best = 0, double wallTime = 1.5) {
        Sample sample(step, kFloats);
        sample.snapshot.state.best.step = best;
        sample.snapshot.state.wallTime = wallTime;
        QVERIFY(writer.commit(sample.snapshot));
    }
    [[nodiscard]] std::optional<CopyReport> turn() { return copies.turn(now); }
    [[nodiscard]] CheckpointStore copy() const {
        return *CheckpointStore::open(here, CheckpointStore::Access::Read);
    }
    [[nodiscard]] std::vector<std::int64_t> copied() const {
        return copy().list().value_or(std::vector<std::int64_t>());
    }
    [[nodiscard]] bool holds(std::int64_t step) const {
        const auto loaded = copy().load(step);
        return loaded && Sample(step, kFloats).equals(*loaded);
    }

    fs::path there;
    fs::path here;
    CheckpointStore writer = *CheckpointStore::open(there, CheckpointStore::Access::Write);
    test::FolderSource source{there};
    Nanos now = 100s;
    bool cancelled = false;
    CheckpointCopies copies;
};

fs::path pathOf(const QTemporaryDir& folder) {
    return folder.path().toStdString();
}

}  // namespace

class CheckpointCopiesTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> temporary_;
    fs::path there_;
    fs::path here_;

    static int runCommand(const QString& program, const QStringList& arguments) {
        QProcess process;
        process.start(program, arguments);
        if (process.waitForFinished(kProcessMilliseconds))
            return process.exitStatus() == QProcess::CrashExit ? 137 : process.exitCode();
        process.kill();
        process.waitForFinished(kProcessMilliseconds);
        return -1;
    }
    [[nodiscard]] int copy(const QString& injection = {}) const {
        const QStringList own{QString::fromStdString(there_.string()),
                              QString::fromStdString(here_.string()), "2"};
        if (injection.isEmpty()) return runCommand(COPY_PROGRAM, own);
        return runCommand("strace", QStringList{"-f", "-q", "-o", "/dev/null", "-e",
                                                "inject=" + injection, COPY_PROGRAM} +
                                        own);
    }
    /// A copy of step 10; there is a newer commit of `step`.
    void prepare(std::int64_t step) const {
        fs::remove_all(there_);
        fs::remove_all(here_);
        auto store = CheckpointStore::open(there_, CheckpointStore::Access::Write);
        if (!store || !store->commit(Sample(10, kFloats).snapshot) || copy() != 0)
            qFatal("cannot prepare");
        Sample sample(step, kFloats);
        sample.snapshot.state.wallTime = 2.5;
        if (!store->commit(sample.snapshot)) qFatal("cannot prepare");
    }
    [[nodiscard]] bool isWhole(std::int64_t step, bool mustBeNewest) const {
        const auto reader = CheckpointStore::open(here_, CheckpointStore::Access::Read);
        const auto good = reader->latestGood();
        if (!good || !good->step || !good->rejected.empty()) return false;
        if (mustBeNewest && *good->step != step) return false;
        return *good->step == 10 || *good->step == step;
    }
    /// Whoever comes next copies it, and leaves no trace of the accident.
    [[nodiscard]] bool canGoOn(std::int64_t step) const {
        if (copy() != 0 || !isWhole(step, true)) return false;
        const auto reader = CheckpointStore::open(here_, CheckpointStore::Access::Read);
        if (reader->load(step)->state.wallTime != 2.5) return false;
        for (const auto& entry : fs::directory_iterator(here_)) {
            const std::string name = entry.path().filename().string();
            if (name.find("tmp") != std::string::npos || name.starts_with(".fetch")) return false;
        }
        return true;
    }

private slots:
    void initTestCase() {
        temporary_ = std::make_unique<QTemporaryDir>("/dev/shm/lockstep-copies-XXXXXX");
        if (!temporary_->isValid()) temporary_ = std::make_unique<QTemporaryDir>();
        there_ = pathOf(*temporary_) / "there";
        here_ = pathOf(*temporary_) / "here";
    }

    void theNewestIsCopiedAndNamedByLatest() {
        const QTemporaryDir root;
        Two two(pathOf(root));
        QVERIFY(!two.turn());  // there is none
        two.commit(10);
        const auto copied = two.turn();
        QVERIFY(copied && !copied->error);
        QCOMPARE(copied->step, 10);
        QVERIFY(two.holds(10));
        QCOMPARE(*two.copy().latest(), 10);
        QVERIFY(!two.turn());  // nothing new
    }
    void whatIsOvertakenIsNeverCopiedAndOlderOnesAreNotKept() {
        const QTemporaryDir root;
        Two two(pathOf(root), 2);
        for (const std::int64_t step : {10, 20, 30})
            two.commit(step);
        QCOMPARE(two.turn()->step, 30);
        QVERIFY(!two.turn());
        for (const std::int64_t step : {40, 50}) {
            two.commit(step);
            QCOMPARE(two.turn()->step, step);
        }
        QCOMPARE(two.copied(), (std::vector<std::int64_t>{40, 50}));
    }
    void theBestIsCopiedAndStays() {
        const QTemporaryDir root;
        Two two(pathOf(root), 1);
        two.commit(10);
        two.commit(20, 10);
        QCOMPARE(two.turn()->step, 20);
        QCOMPARE(two.turn()->step, 10);
        QVERIFY(!two.turn());
        QCOMPARE(*two.copy().best(), 10);
        QCOMPARE(*two.copy().latest(), 20);
        two.commit(30, 10);
        QCOMPARE(two.turn()->step, 30);
        QCOMPARE(two.copied(), (std::vector<std::int64_t>{10, 30}));
    }
    void aStepThatIsCommittedAgainReplacesItsCopy() {
        const QTemporaryDir root;
        const fs::path place = pathOf(root);
        {
            Two two(place);
            two.commit(10);
            QVERIFY(two.turn());
        }
        Two later(place);  // another start of the run
        later.commit(10, 0, 7.5);
        QVERIFY(!later.turn()->error);
        QCOMPARE(later.copy().load(10)->state.wallTime, 7.5);
    }
    void aRunThatHasGoneBackTakesItsCopiesBack() {
        const QTemporaryDir root;
        Two two(pathOf(root), 2);
        two.commit(100);
        QVERIFY(two.turn());
        two.commit(50);  // committed later, of an earlier step
        QCOMPARE(two.turn()->step, 50);
        QCOMPARE(*two.copy().latest(), 50);
        two.commit(60);
        QCOMPARE(two.turn()->step, 60);
        QCOMPARE(two.copied(), (std::vector<std::int64_t>{50, 60}));
    }
    void aMarkOfSuspicionIsCopiedWhenItComesAndWhenItGoes() {
        const QTemporaryDir root;
        Two two(pathOf(root), 3);
        for (const std::int64_t step : {10, 20}) {
            two.commit(step);
            QVERIFY(two.turn());
        }
        const Suspicion suspicion{20, 23, "the loss became nan at step 23"};
        QVERIFY(markSuspect(two.there, suspicion));
        QVERIFY(!two.turn());  // no checkpoint is copied for it
        QCOMPARE(suspicionOf(two.here, 20), std::optional(suspicion));
        QCOMPARE(two.copy().latestGood()->step, std::optional<std::int64_t>(10));
        two.commit(30);
        QVERIFY(two.turn());
        QCOMPARE(suspicionOf(two.here, 20), std::optional(suspicion));
        QVERIFY(removeSuspicion(two.there, 20));
        QVERIFY(!two.turn());
        QVERIFY(!suspicionOf(two.here, 20));
    }
    void aCheckpointThatIsMarkedBeforeItIsCopiedComesWithItsMark() {
        const QTemporaryDir root;
        Two two(pathOf(root));
        two.commit(10);
        QVERIFY(markSuspect(two.there, {10, 11, ""}));
        QVERIFY(two.turn());
        QVERIFY(suspicionOf(two.here, 10).has_value());
    }
    void whatAUserKeepsIsKeptOfTheCopiesToo() {
        const QTemporaryDir root;
        Two two(pathOf(root), 1);
        two.commit(10);
        QVERIFY(two.turn());
        QVERIFY(markKept(two.there, 10, true));
        two.commit(20);
        QVERIFY(two.turn());
        QCOMPARE(two.copied(), (std::vector<std::int64_t>{10, 20}));
        QVERIFY(markKept(two.there, 10, false));
        two.commit(30);
        QVERIFY(two.turn());
        QCOMPARE(two.copied(), (std::vector<std::int64_t>{30}));
    }
    void whatFailsIsCountedAndTriedAgainAfterPausesThatGrow() {
        const QTemporaryDir root;
        Two two(pathOf(root));
        two.commit(10);
        two.source.onPiece = [](const std::string&, Result<std::string>& piece) {
            piece = fail(ErrorCode::Timeout, "the coordinator does not answer");
        };
        std::vector<double> pauses;
        for (std::uint32_t failures = 1; failures <= 7; ++failures) {
            const Nanos began = two.now;
            std::optional<CopyReport> report;
            for (; !(report = two.turn()); two.now += 100ms)
                QVERIFY(two.now < began + 60s);
            QVERIFY(report->error.has_value());
            QCOMPARE(report->failures, failures);
            pauses.push_back(std::round(Seconds(two.now - began).count()));
        }
        QCOMPARE(pauses, (std::vector<double>{0, 1, 2, 4, 8, 16, 30}));
        two.source.onPiece = {};
        two.now += 31s;
        const auto copied = two.turn();
        QVERIFY(copied && !copied->error);
        QCOMPARE(copied->failures, 7U);  // before it
        QVERIFY(two.holds(10));
    }
    void nobodyWhoAnswersIsNoFailure() {
        const QTemporaryDir root;
        Two two(pathOf(root));
        two.commit(10);
        two.source.silent = true;
        QVERIFY(!two.turn());
        two.source.silent = false;
        QCOMPARE(two.turn()->failures, 0U);
    }
    void whatComesDamagedIsNeverThere() {
        const QTemporaryDir root;
        Two two(pathOf(root));
        two.commit(10);
        two.source.onPiece = [](const std::string& file, Result<std::string>& piece) {
            if (file == "model.safetensors" && piece) piece->back() ^= 1;
        };
        const auto report = two.turn();
        QVERIFY(report->error.has_value());
        QVERIFY2(report->error->message.find("came damaged") != std::string::npos,
                 report->error->message.c_str());
        QVERIFY(two.copied().empty());
    }
    void aFullDiskIsNamedAndTheCopyIsMadeOnceThereIsSpace() {
        const QTemporaryDir root;
        const QTemporaryDir mountPoint;
        const QByteArray place = mountPoint.path().toUtf8();
        if (::mount("none", place.constData(), "tmpfs", 0, "size=128k") != 0)
            QSKIP("a file system of limited size cannot be mounted here");
        const auto unmount = qScopeGuard([&place] { ::umount2(place.constData(), MNT_DETACH); });
        test::FolderSource source(pathOf(root));
        auto writer = CheckpointStore::open(pathOf(root), CheckpointStore::Access::Write);
        QVERIFY(writer->commit(Sample(10, 4'000).snapshot));  // 48 kB
        QFile filler(mountPoint.filePath("filler"));
        QVERIFY(filler.open(QIODevice::WriteOnly));
        filler.write(QByteArray(100 << 10, 'x'));
        filler.close();
        CheckpointCopies copies(source, pathOf(mountPoint) / "copies", 1, [] { return false; });
        const auto full = copies.turn(10s);
        QVERIFY(full->error.has_value());
        QVERIFY2(full->error->message.find("No space left") != std::string::npos,
                 full->error->message.c_str());
        QVERIFY2(full->error->message.find(place.toStdString()) != std::string::npos,
                 full->error->message.c_str());
        QVERIFY(filler.remove());
        const auto copied = copies.turn(20s);
        QVERIFY(copied && !copied->error);
    }

    void whatASignalInterruptsIsDoneAgain() {
        if (runCommand("strace", {"-q", "-o", "/dev/null", "true"}) != 0)
            QSKIP("strace is not installed, or may not trace here");
        // Not close: one that strace lets fail leaves the file open, and locked.
        for (const char* call : {"fsync", "flock", "rename", "renameat2"}) {
            prepare(20);
            // Every second one: whatever is made again comes to its end.
            QVERIFY2(copy(QString("%1:error=EINTR:when=1+2").arg(call)) == 0, call);
            QVERIFY2(isWhole(20, true), call);
        }
    }

    void everyMomentOfACopyLeavesAGoodCheckpoint_data() {
        QTest::addColumn<QString>("call");
        QTest::addColumn<QString>("fault");
        QTest::addColumn<int>("step");
        for (const char* call : {"write", "fsync", "mkdir", "rename", "renameat2", "openat"})
            for (const char* fault : {"signal=KILL", "error=EIO", "error=ENOSPC"})
                QTest::addRow("%s %s", call, fault) << call << fault << 20;
        for (const char* call : {"close", "flock", "pread64"})
            QTest::addRow("%s signal=KILL", call) << call << "signal=KILL" << 20;
        // The step that is already there: the old and the new one change places.
        for (const char* call : {"fsync", "rename", "renameat2", "unlinkat"})
            for (const char* fault : {"signal=KILL", "error=EIO"})
                QTest::addRow("again: %s %s", call, fault) << call << fault << 10;
    }
    void everyMomentOfACopyLeavesAGoodCheckpoint() {
        if (runCommand("strace", {"-q", "-o", "/dev/null", "true"}) != 0)
            QSKIP("strace is not installed, or may not trace here");
        QFETCH(QString, call);
        QFETCH(QString, fault);
        QFETCH(int, step);
        int effective = 0;
        for (int when = 1; when <= 300; ++when) {
            prepare(step);
            const int status = copy(QString("%1:%2:when=%3").arg(call, fault).arg(when));
            const QByteArray place = QString("call %1").arg(when).toUtf8();
            QVERIFY2(isWhole(step, status == 0), place.constData());
            QVERIFY2(canGoOn(step), place.constData());
            if (status != 0) effective = when;
            if (when > effective + kCallsOfTheLoader) break;  // past the last call that matters
        }
        const bool isTolerated = call == "unlinkat" || call == "mkdir" || call == "renameat2";
        QVERIFY2(effective > 0 || isTolerated,
                 "the fault was never noticed: is the call still made?");
    }
};

QTEST_GUILESS_MAIN(CheckpointCopiesTest)
#include "tst_checkpoint_copies.moc"
