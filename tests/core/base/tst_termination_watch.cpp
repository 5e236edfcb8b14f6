// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>
#include <atomic>
#include <csignal>
#include <future>

#include "core/base/termination_watch.h"

using namespace lockstep;

namespace {

bool isReady(std::future<void>& future) {
    return future.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
}

}  // namespace

class TerminationWatchTest : public QObject {
    Q_OBJECT

private slots:
    void theFirstSigtermIsACallAndNoEnd() {
        std::promise<void> asked;
        std::future<void> isAsked = asked.get_future();
        std::atomic<int> calls = 0;
        const auto watch = TerminationWatch::start();
        QVERIFY(watch.has_value());
        (*watch)->whenAsked([&] {
            ++calls;
            asked.set_value();
        });
        QCOMPARE(::raise(SIGTERM), 0);
        QVERIFY(isReady(isAsked));
        QCOMPARE(::raise(SIGTERM), 0);  // schedulers repeat themselves
        (*watch)->whenAsked({});
        QCOMPARE(calls.load(), 1);
    }
    void whatCameBeforeAnybodyListenedIsTold() {
        const auto watch = TerminationWatch::start();
        QVERIFY(watch.has_value());
        std::promise<void> first;
        std::future<void> isFirst = first.get_future();
        (*watch)->whenAsked([&] { first.set_value(); });
        QCOMPARE(::raise(SIGTERM), 0);
        QVERIFY(isReady(isFirst));
        bool second = false;
        (*watch)->whenAsked([&] { second = true; });
        QVERIFY(second);
    }
    void thatItHasComeIsKnownAtOnce() {
        const auto watch = TerminationWatch::start();
        QVERIFY(watch.has_value());
        QVERIFY(!(*watch)->isAsked());
        QCOMPARE(::raise(SIGTERM), 0);
        QVERIFY((*watch)->isAsked());
    }
    void whoHeedsStrangersAloneIsNotToldByItsOwnGroup() {
        const auto watch = TerminationWatch::start(TerminationWatch::Heeds::Strangers);
        QVERIFY(watch.has_value());
        QCOMPARE(::raise(SIGTERM), 0);
        QVERIFY(!(*watch)->isAsked());
        const pid_t child = ::fork();  // of a group of its own: a stranger
        if (child == 0) {
            ::setpgid(0, 0);
            ::kill(::getppid(), SIGTERM);
            ::pause();
        }
        QTRY_VERIFY((*watch)->isAsked());
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
    }
    void whoHeedsStrangersAloneIsNotToldByItsParent() {
        const pid_t child = ::fork();
        if (child == 0) {
            ::setpgid(0, 0);
            const auto watch = TerminationWatch::start(TerminationWatch::Heeds::Strangers);
            ::kill(::getpid(), SIGSTOP);
            ::_exit(watch.has_value() && !(*watch)->isAsked() ? 0 : 1);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, WUNTRACED), child);
        QVERIFY(WIFSTOPPED(status));
        QCOMPARE(::kill(child, SIGTERM), 0);
        QCOMPARE(::kill(child, SIGCONT), 0);
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    void afterwardsItEndsTheProcessAgain() {
        std::signal(SIGTERM, SIG_DFL);
        QVERIFY(TerminationWatch::start().has_value());
        struct sigaction now {};
        QCOMPARE(::sigaction(SIGTERM, nullptr, &now), 0);
        QVERIFY(now.sa_handler == SIG_DFL);
    }
    void afterwardsItIsIgnoredWhereItWasBefore() {
        std::signal(SIGTERM, SIG_IGN);
        QVERIFY(TerminationWatch::start().has_value());
        QVERIFY(std::signal(SIGTERM, SIG_DFL) == SIG_IGN);
    }
};

QTEST_GUILESS_MAIN(TerminationWatchTest)
#include "tst_termination_watch.moc"
