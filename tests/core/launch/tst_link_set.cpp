// SPDX-License-Identifier: Apache-2.0
// The links to a run's hosts, here to real services on this machine.
#include <QtTest>
#include <csignal>
#include <thread>

#include "core/base/thread.h"
#include "core/launch/host/link_set.h"
#include "tests/support/local_link.h"

using namespace lockstep;
using namespace lockstep::launch;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::seconds kLong{20};
constexpr Nanos kLease = 400ms;

struct Links {
    LinkSet set{kLease};

    /// A service, greeted; its pid.
    pid_t add(const std::string& host) {
        auto link = localLinks(LOCKSTEP_BINARY_DIR "/bin/lockstep-worker", true)(host, {});
        if (!link) qFatal("%s", link.error().message.c_str());
        wire::ToHost hello;
        hello.mutable_hello()->set_lease_seconds(Seconds(kLease).count());
        auto greeted = set.ask(set.add(std::move(*link)), std::move(hello), kLong);
        if (!greeted) qFatal("%s", greeted.error().message.c_str());
        return static_cast<pid_t>(greeted->greeting().pid());
    }
    bool pumpUntil(const std::function<bool()>& done, Nanos within) {
        for (const Nanos end = SteadyClock::read() + within; !done();) {
            if (SteadyClock::read() > end) return false;
            set.pump(20ms);
        }
        return true;
    }
};

}  // namespace

class LinkSetTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        ignoreSigpipe();
        qputenv("XDG_STATE_HOME", state_.path().toUtf8());
    }

    void aHostThatFallsSilentIsLostAfterTheLeaseAndHoldsNobodyUp() {
        Links links;
        const pid_t silent = links.add("host1");
        links.add("host2");
        links.set.expectSignsOfLife();
        QVERIFY(!links.pumpUntil([&] { return links.set.errorAt(0) || links.set.errorAt(1); },
                                 3 * kLease));
        QCOMPARE(::kill(silent, SIGSTOP), 0);
        // The service must see the end of its input before the link's closing gives up on it.
        const std::jthread thaw([silent] {
            std::this_thread::sleep_for(1000ms);  // a pause: longer than the lease
            ::kill(silent, SIGCONT);
        });
        const Nanos since = SteadyClock::read();
        QVERIFY(links.pumpUntil([&] { return links.set.errorAt(0).has_value(); }, kLong));
        QVERIFY(SteadyClock::read() - since < 950ms);
        QCOMPARE(links.set.errorAt(0)->code, ErrorCode::PeerLost);
        QCOMPARE(links.set.errorAt(0)->message,
                 std::string("host1: nothing is heard from the host any more, for 0.4 s"));
        QVERIFY(!links.pumpUntil([&] { return links.set.errorAt(1).has_value(); }, 2 * kLease));
        QVERIFY(links.set.takeNews().empty());
    }

    void aServiceMayBeBusyForLongWhileItStartsItsAgent() {
        Links links;
        const pid_t busy = links.add("host1");
        QCOMPARE(::kill(busy, SIGSTOP), 0);
        QVERIFY(!links.pumpUntil([&] { return links.set.errorAt(0).has_value(); }, 2 * kLease));
        QCOMPARE(::kill(busy, SIGCONT), 0);
        wire::ToHost list;
        list.mutable_list_runs();
        QVERIFY(links.set.ask(0, std::move(list), kLong).has_value());
    }

    void aHostThatTakesNothingHoldsNobodyUp() {
        Links links;
        const pid_t deaf = links.add("host1");
        links.add("host2");
        QCOMPARE(::kill(deaf, SIGSTOP), 0);
        wire::ToHost large;  // more than a pipe holds
        large.mutable_see_folder()->set_folder(std::string(1 << 20, 'x'));
        const Nanos since = SteadyClock::read();
        const std::uint64_t request = links.set.post(0, std::move(large));
        QVERIFY(SteadyClock::read() - since < 1s);
        QVERIFY(!links.pumpUntil([&] { return links.set.errorAt(0) || links.set.errorAt(1); },
                                 4 * kLease));
        QCOMPARE(::kill(deaf, SIGCONT), 0);
        std::optional<Result<wire::FromHost>> answer;
        QVERIFY(links.pumpUntil(
            [&] { return (answer = links.set.takeAnswer(request)).has_value(); }, kLong));
        // It has arrived whole, and what is wrong with it was found.
        QVERIFY(!*answer);
        QVERIFY(answer->error().message.find("by its full path") != std::string::npos);
    }

private:
    QTemporaryDir state_;
};

QTEST_GUILESS_MAIN(LinkSetTest)
#include "tst_link_set.moc"
