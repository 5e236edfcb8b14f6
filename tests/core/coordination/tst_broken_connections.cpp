// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/coordination/client/sent_window.h"
#include "tests/core/coordination/meeting.h"
#include "tests/support/cut_proxy.h"

using namespace lockstep;
using namespace lockstep::tests;

class BrokenConnectionsTest : public QObject {
    Q_OBJECT
private slots:
    void whatIsNotConfirmedIsSentAgainInOrder() {
        SentWindow window;
        QCOMPARE(window.nextNumber(), std::uint64_t(1));
        for (const char* text : {"one", "two", "three"})
            window.add(text);
        for (int i = 0; i < 3; ++i)
            window.markSent();
        QVERIFY(window.unsent() == nullptr);
        QVERIFY(window.confirm(1));
        QVERIFY(!window.confirm(1));
        window.rewind();
        QCOMPARE(*window.unsent(), std::string("two"));
        QCOMPARE(window.nextNumber(), std::uint64_t(4));
        window.markSent();
        QVERIFY(window.confirm(99));  // no more than there is
        QVERIFY(window.empty());
        QCOMPARE(window.nextNumber(), std::uint64_t(4));
    }

    void theWindowIsBounded() {
        SentWindow window;
        for (int i = 0; i < 4; ++i)
            window.add(std::string(1 << 20, 'x'));
        QVERIFY(window.full());
        QVERIFY(window.confirm(1));
        QVERIFY(!window.full());
    }

    void aConnectionThatBreaksWhileDataIsUnderWayLosesNothingAndRepeatsNothing() {
        constexpr std::size_t kLines = 20000;
        constexpr int kCuts = 5;
        Meeting meeting(1);
        CutProxy proxy(meeting.coordinator().port());
        ClientOptions options = meeting.optionsFor(0);
        options.endpoint = "tcp://127.0.0.1:" + std::to_string(proxy.port());
        const auto client = meeting.client(options);
        QVERIFY(client->join(kPatience));

        const std::string line(200, 'x');
        for (std::size_t i = 0; i < kLines; ++i) {
            if (i % (kLines / kCuts) == kLines / kCuts / 2) {
                const int before = proxy.cuts();
                proxy.cut();
                QTRY_VERIFY_WITH_TIMEOUT(proxy.cuts() > before, 5000);
            }
            QVERIFY(client->sendRecord(logRecord(std::to_string(i) + line)));
        }
        QVERIFY(client->flush(kPatience));
        QCOMPARE(proxy.cuts(), kCuts);

        std::size_t expected = 0;
        for (const wire::Record& record : follow(*meeting.monitor(), holdsLogs(kLines)))
            if (record.has_log()) QCOMPARE(record.log().text(), std::to_string(expected++) + line);
        QCOMPARE(expected, kLines);
    }

    void theNewsOfADeathArrivesOverAConnectionThatBroke() {
        Meeting meeting(1);
        CutProxy proxy(meeting.coordinator().port());
        std::vector<Told> told(1);
        const auto workers = meeting.joined(1, told);
        QCOMPARE(workers.size(), std::size_t(1));
        ClientOptions options = meeting.optionsFor(0, 0, false);
        options.self.set_role(wire::ROLE_AGENT);
        QVERIFY(meeting.coordinator().allowMember(options.keys.publicKey, "agent-0"));
        options.endpoint = "tcp://127.0.0.1:" + std::to_string(proxy.port());
        const auto agent = meeting.client(options);
        QVERIFY(agent->join(kPatience));

        wire::ProcessExit exit;
        exit.set_signalled(true);
        exit.set_status(9);
        proxy.cut();
        agent->reportProcessExit(exit, 0);
        proxy.cut();
        const auto outcome = meeting.coordinator().waitOutcome(kPatience);
        QVERIFY(outcome);
        QCOMPARE(outcome->failure.cause(), std::string("was killed by signal 9 (SIGKILL)"));
    }
};

QTEST_GUILESS_MAIN(BrokenConnectionsTest)
#include "tst_broken_connections.moc"
