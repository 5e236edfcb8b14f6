// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "tests/support/commit_place.h"

using namespace lockstep::checkpoint::test;

namespace {

constexpr int kCallsWithoutEffect = 16;  // at most, one after the other

/// Sanitizers of the program under test write to pipes of their own, and faults hit those too.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kWritesAreItsOwn = false;
#else
constexpr bool kWritesAreItsOwn = true;
#endif

}  // namespace

/// Ends or fails each of those who write a checkpoint together at each of its system calls, and
/// looks at what is left.
class ShardCrashTest : public QObject {
    Q_OBJECT

    CommitPlace place_{COMMIT_PROGRAM};

private slots:
    static void initTestCase() {
        if (!CommitPlace::mayTrace()) QSKIP("strace is not installed, or may not trace here");
    }
    void everyMomentOfBothLeavesAGoodCheckpoint_data() {
        QTest::addColumn<QString>("call");
        QTest::addColumn<QString>("fault");
        QTest::addColumn<int>("process");
        QTest::addColumn<int>("step");
        for (const int process : {0, 1})
            for (const char* call : {"write", "fsync", "mkdir", "rename", "openat", "close"})
                for (const char* fault : {"signal=KILL", "error=EIO", "error=ENOSPC"}) {
                    const bool isMade = process == 0 || (call != std::string_view("mkdir") &&
                                                         call != std::string_view("rename"));
                    if (!isMade || (call == std::string_view("close") &&
                                    fault != std::string_view("signal=KILL")))
                        continue;
                    QTest::addRow("%s: %s %s", process == 0 ? "committer" : "writer", call, fault)
                        << call << fault << process << 20;
                }
        // The step that is already there: the old and the new one change places.
        for (const char* call : {"renameat2", "unlinkat", "rename"})
            QTest::addRow("again: %s", call) << call << "signal=KILL" << 0 << 10;
    }
    void everyMomentOfBothLeavesAGoodCheckpoint() {
        QFETCH(QString, call);
        QFETCH(QString, fault);
        QFETCH(int, process);
        QFETCH(int, step);
        if (call == "write" && fault.startsWith("error") && !kWritesAreItsOwn)
            QSKIP("the sanitizer's own writes would fail");
        int effective = 0;
        for (int when = 1; when <= 200; ++when) {
            place_.prepare();
            const auto outcome = place_.commit(
                step, QString("LOCKSTEP_TRACE_%1").arg(process),
                QString("strace -o /dev/null -e inject=%1:%2:when=%3").arg(call, fault).arg(when));
            const QByteArray at = QString("call %1").arg(when).toUtf8();
            const bool succeeded = outcome.status == 0;
            const auto left = place_.left(step);
            QVERIFY2(left != CommitPlace::Left::Nothing, at.constData());
            QVERIFY2(!succeeded || left == CommitPlace::Left::Newer, at.constData());
            QVERIFY2(place_.canGoOn(), at.constData());
            if (!succeeded) effective = when;
            if (when > effective + kCallsWithoutEffect) break;  // past the last one that matters
        }
        QVERIFY2(effective > 0, "the fault was never noticed: is the call still made?");
    }
};

QTEST_GUILESS_MAIN(ShardCrashTest)
#include "tst_shard_crash.moc"
