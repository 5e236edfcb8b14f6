// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>

#include "core/base/exit_status.h"
#include "core/base/exit_within.h"

using namespace lockstep;

class ExitStatusTest : public QObject {
    Q_OBJECT
private slots:
    void aStartThatCannotBeAsAskedIsBadInputAndAStopIsNoFailure() {
        for (const ErrorCode code :
             {ErrorCode::BadInput, ErrorCode::NotFound, ErrorCode::Unavailable})
            QCOMPARE(exitStatusOf(code), kExitBadInput);
        QCOMPARE(exitStatusOf(ErrorCode::Cancelled), kExitStopped);
        for (const ErrorCode code :
             {ErrorCode::Timeout, ErrorCode::PeerLost, ErrorCode::Corrupt, ErrorCode::Io,
              ErrorCode::NoRoom, ErrorCode::Diverged, ErrorCode::Internal})
            QCOMPARE(exitStatusOf(code), kExitFailed);
    }
    void whatLacksWhileItRunsIsNoBadInput() {
        QVERIFY(isRefusal(ErrorCode::Unavailable));
        QVERIFY(!isBadInput(ErrorCode::Unavailable));
        QVERIFY(!isRefusal(ErrorCode::NoRoom));  // a full disk is not the user's mistake
    }
    void whoWaitsForWhatNeverEndsExitsAllTheSame() {
        const pid_t child = ::fork();
        if (child == 0) {
            exitWithin(std::chrono::seconds(1), 7);
            for (;;)
                ::pause();
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 7);
    }
};

QTEST_GUILESS_MAIN(ExitStatusTest)
#include "tst_exit_status.moc"
