// SPDX-License-Identifier: Apache-2.0
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "core/checkpoint/checkpoint_store.h"
#include "tests/support/sharded_sample.h"

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

/// `traceWriter`: see commit_shards.
Outcome runCommand(const QString& program, const QStringList& arguments,
                   const QString& traceWriter = {}) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("LOCKSTEP_TRACE_WRITER", traceWriter);
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

/// Ends or fails each of two processes that write a checkpoint together at each of its system
/// calls, and looks at what is left.
class ShardCrashTest : public QObject {
    Q_OBJECT

    fs::path folder_;
    std::unique_ptr<QTemporaryDir> temporary_;

    Outcome commitWithFault(const QString& injection, int step, bool inWriter) const {
        const QStringList trace{
            "strace", "-f", "-q", "-o", "/dev/null", "-e", "inject=" + injection};
        const QStringList commit{COMMIT_PROGRAM, QString::fromStdString(folder_.string()),
                                 QString::number(kFloats), QString::number(step)};
        if (inWriter) return runCommand(commit[0], commit.mid(1), trace.join(' '));
        // Without -f: the second process is let be.
        return runCommand("strace", trace.mid(2) + commit);
    }
    void freshFolderWithStep10() {
        fs::remove_all(folder_);
        auto store = CheckpointStore::open(folder_, CheckpointStore::Access::Write);
        const Sample sample(10, kFloats);
        test::CrewHere crew(folder_, sample, 2);
        if (!store || !store->commit(test::partOf(sample, 0, 2), &crew)) qFatal("cannot prepare");
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
        const Sample sample(30, kFloats);
        test::CrewHere crew(folder_, sample, 2);
        if (!store || !store->commit(test::partOf(sample, 0, 2), &crew)) return false;
        for (const auto& entry : fs::directory_iterator(folder_))
            if (entry.path().filename().string().find("tmp") != std::string::npos) return false;
        return store->latestGood()->step == 30;
    }

private slots:
    void initTestCase() {
        if (runCommand("strace", {"-q", "-o", "/dev/null", "true"}).status != 0)
            QSKIP("strace is not installed, or may not trace here");
        // In memory where that is possible: the faults come from the system call, not the disk.
        temporary_ = std::make_unique<QTemporaryDir>("/dev/shm/lockstep-shards-XXXXXX");
        if (!temporary_->isValid()) temporary_ = std::make_unique<QTemporaryDir>();
        folder_ = fs::path(temporary_->path().toStdString()) / "checkpoints";
    }
    void everyMomentOfBothLeavesAGoodCheckpoint_data() {
        QTest::addColumn<QString>("call");
        QTest::addColumn<QString>("fault");
        QTest::addColumn<bool>("inWriter");
        QTest::addColumn<int>("step");
        for (const bool inWriter : {false, true})
            for (const char* call : {"write", "fsync", "mkdir", "rename", "openat", "close"})
                for (const char* fault : {"signal=KILL", "error=EIO", "error=ENOSPC"}) {
                    const bool isMade = !inWriter || (call != std::string_view("mkdir") &&
                                                      call != std::string_view("rename"));
                    if (!isMade || (call == std::string_view("close") &&
                                    fault != std::string_view("signal=KILL")))
                        continue;
                    QTest::addRow("%s: %s %s", inWriter ? "writer" : "committer", call, fault)
                        << call << fault << inWriter << 20;
                }
        // The step that is already there: the old and the new one change places.
        for (const char* call : {"renameat2", "unlinkat", "rename"})
            QTest::addRow("again: %s", call) << call << "signal=KILL" << false << 10;
    }
    void everyMomentOfBothLeavesAGoodCheckpoint() {
        QFETCH(QString, call);
        QFETCH(QString, fault);
        QFETCH(bool, inWriter);
        QFETCH(int, step);
        if (call == "write" && fault.startsWith("error") && !kWritesAreItsOwn)
            QSKIP("the sanitizer's own writes would fail");
        int effective = 0;
        for (int when = 1; when <= 200; ++when) {
            freshFolderWithStep10();
            const Outcome outcome = commitWithFault(
                QString("%1:%2:when=%3").arg(call, fault).arg(when), step, inWriter);
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
};

QTEST_GUILESS_MAIN(ShardCrashTest)
#include "tst_shard_crash.moc"
