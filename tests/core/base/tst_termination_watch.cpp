// SPDX-License-Identifier: Apache-2.0
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
    void afterwardsItEndsTheProcessAgain() {
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
