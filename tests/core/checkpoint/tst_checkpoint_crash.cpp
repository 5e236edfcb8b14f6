// SPDX-License-Identifier: Apache-2.0
#include <sys/mount.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "core/checkpoint/checkpoint_store.h"
#include "tests/support/checkpoint_samples.h"

using namespace lockstep;
using namespace lockstep::checkpoint;
using test::Sample;
namespace fs = std::filesystem;

namespace {

constexpr int kProcessMilliseconds = 30'000;
constexpr std::size_t kFloats = 64;
constexpr int kCallsOfTheLoader = 16;  // at most, before the program's own: they do not count

/// Sanitizers of the program under test write to pipes of their own, and faults hit those too.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kWritesAreItsOwn = false;
#else
constexpr bool kWritesAreItsOwn = true;
#endif

struct Outcome {
    int status = -1;
    bool killed = false;
};

Outcome runCommand(const QString& program, const QStringList& arguments) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("ASAN_OPTIONS", "detect_leaks=0");  // it cannot look for leaks when traced
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    if (!process.waitForFinished(kProcessMilliseconds)) {
        process.kill();
        process.waitForFinished(kProcessMilliseconds);
        return {};
    }
    const bool killed =
        process.exitStatus() == QProcess::CrashExit || process.exitCode() == 128 + 9;
    return {process.exitCode(), killed};
}

}  // namespace

/// Ends or fails a real process at each system call of a commit, and looks at what is left.
class CheckpointCrashTest : public QObject {
    Q_OBJECT

    fs::path folder_;
    std::unique_ptr<QTemporaryDir> temporary_;

    Outcome commitWithFault(const QString& injection, int step) const {
        return runCommand("strace", {"-f", "-q", "-o", "/dev/null", "-e", "inject=" + injection,
                                     COMMIT_PROGRAM, QString::fromStdString(folder_.string()),
                                     QString::number(kFloats), QString::number(step)});
    }
    void freshFolderWithStep10() {
        fs::remove_all(folder_);
        auto store = CheckpointStore::open(folder_, CheckpointStore::Access::Write);
        const Sample sample(10, kFloats);
        if (!store || !store->commit(sample.snapshot)) qFatal("cannot prepare");
    }
    /// The newest good one must be whole, and nothing newer than what was asked for.
    bool isIntact(std::int64_t committed, bool mustBeNewest) const {
        const auto reader = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
        const auto good = reader->latestGood();
        if (!good || !good->step) return false;
        if (mustBeNewest && *good->step != committed) return false;
        if (*good->step != 10 && *good->step != committed) return false;
        const auto loaded = reader->load(*good->step);
        return good->rejected.empty() && loaded && Sample(*good->step, kFloats).equals(*loaded);
    }
    /// Whoever comes next can write, and leaves no trace of the accident.
    bool canGoOn() const {
        auto store = CheckpointStore::open(folder_, CheckpointStore::Access::Write);
        if (!store || !store->commit(Sample(30, kFloats).snapshot)) return false;
        for (const auto& entry : fs::directory_iterator(folder_))
            if (entry.path().filename().string().find("tmp") != std::string::npos) return false;
        return store->latestGood()->step == 30;
    }

private slots:
    void initTestCase() {
        if (runCommand("strace", {"-q", "-o", "/dev/null", "true"}).status != 0)
            QSKIP("strace is not installed, or may not trace here");
        // In memory where that is possible: the faults come from the system call, not the disk.
        temporary_ = std::make_unique<QTemporaryDir>("/dev/shm/lockstep-crash-XXXXXX");
        if (!temporary_->isValid()) temporary_ = std::make_unique<QTemporaryDir>();
        folder_ = fs::path(temporary_->path().toStdString()) / "checkpoints";
    }
    void everyMomentOfACommitLeavesAGoodCheckpoint_data() {
        QTest::addColumn<QString>("call");
        QTest::addColumn<QString>("fault");
        QTest::addColumn<int>("step");
        for (const char* call : {"write", "fsync", "mkdir", "rename", "openat"})
            for (const char* fault : {"signal=KILL", "error=EIO", "error=ENOSPC"})
                QTest::addRow("%s %s", call, fault) << call << fault << 20;
        for (const char* call : {"close", "flock"})
            QTest::addRow("%s signal=KILL", call) << call << "signal=KILL" << 20;
        // The step that is already there: the old and the new one change places.
        for (const char* call : {"fsync", "rename", "renameat2", "unlinkat"})
            for (const char* fault : {"signal=KILL", "error=EIO"})
                QTest::addRow("again: %s %s", call, fault) << call << fault << 10;
    }
    void everyMomentOfACommitLeavesAGoodCheckpoint() {
        QFETCH(QString, call);
        QFETCH(QString, fault);
        QFETCH(int, step);
        if (call == "write" && fault.startsWith("error") && !kWritesAreItsOwn)
            QSKIP("the sanitizer's own writes would fail");
        int effective = 0;
        for (int when = 1; when <= 200; ++when) {
            freshFolderWithStep10();
            const Outcome outcome =
                commitWithFault(QString("%1:%2:when=%3").arg(call, fault).arg(when), step);
            const QByteArray place = QString("call %1").arg(when).toUtf8();
            const bool succeeded = outcome.status == 0 && !outcome.killed;
            QVERIFY2(isIntact(step, succeeded), place.constData());
            QVERIFY2(canGoOn(), place.constData());
            if (!succeeded) effective = when;
            if (when > effective + kCallsOfTheLoader) break;  // past the last call that matters
        }
        QVERIFY2(effective > 0 || call == "unlinkat",
                 "the fault was never noticed: is the call still made?");
    }
    void aWriteThatLiesAboutItsLengthIsFoundByTheReader() {
        if (!kWritesAreItsOwn) QSKIP("the sanitizer's own writes would be hit");
        freshFolderWithStep10();
        QCOMPARE(commitWithFault("write:retval=100:when=1", 20).status, 0);
        const auto reader = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
        QCOMPARE(reader->latest().value_or(-1), std::int64_t{20});
        const auto good = reader->latestGood();
        QVERIFY(good && good->step == 10);
        QCOMPARE(good->rejected.size(), std::size_t{1});
        QVERIFY(good->rejected[0].find("model.safetensors") != std::string::npos);
    }
    void aFullDiskKeepsTheLastGoodCheckpoint() {
        const QTemporaryDir mountPoint;
        const QByteArray place = mountPoint.path().toUtf8();
        if (::mount("none", place.constData(), "tmpfs", 0, "size=1m") != 0)
            QSKIP("a file system of limited size cannot be mounted here");
        const auto unmount = qScopeGuard([&place] { ::umount2(place.constData(), MNT_DETACH); });
        auto store = CheckpointStore::open(fs::path(place.constData()) / "checkpoints",
                                           CheckpointStore::Access::Write);
        QVERIFY(store.has_value());
        QVERIFY(store->commit(Sample(1, 30'000).snapshot).has_value());
        QVERIFY(store->commit(Sample(2, 30'000).snapshot).has_value());
        const auto full = store->commit(Sample(3, 30'000).snapshot);
        QVERIFY(!full);
        QVERIFY(full.error().message.find("No space left") != std::string::npos);
        QCOMPARE(store->latestGood()->step, std::optional<std::int64_t>(2));
        QCOMPARE(*store->list(), (std::vector<std::int64_t>{1, 2}));
        QVERIFY(store->prune(1).has_value());
        QVERIFY(store->commit(Sample(4, 30'000).snapshot).has_value());
    }
};

QTEST_GUILESS_MAIN(CheckpointCrashTest)
#include "tst_checkpoint_crash.moc"
