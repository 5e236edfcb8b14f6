// SPDX-License-Identifier: Apache-2.0
// Where processes only tell that they have lost each other, the common end of their connections is
// the cause, whoever tells of it first.
#include <QtTest>
#include <csignal>
#include <optional>

#include "core/coordination/health/lost_connections.h"
#include "tests/core/coordination/core_stage.h"

using namespace lockstep;
using namespace lockstep::testsupport;

namespace {

constexpr Nanos kGrace = 3500ms;

using Order = std::vector<std::uint32_t>;
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // who tells, and of whom

class Cluster {
public:
    explicit Cluster(std::uint32_t workers, std::uint32_t replicas = 1)
        : stage(rulesOf(workers)), workers_(workers) {
        stage.replicas = replicas;
        stage.joinWorkers(workers);
    }

    void tell(std::uint32_t id, std::optional<std::uint32_t> replica,
              const std::string& cause = "lost a connection") {
        wire::ToCoordinator message;
        wire::ReportError& report = *message.mutable_report_error();
        report.set_cause(cause);
        report.set_secondary(true);
        if (replica) report.set_lost_replica(*replica);
        stage.say(worker(id), std::move(message));
    }
    void kill(std::uint32_t id) {
        wire::ProcessExit exit;
        exit.set_role(wire::ROLE_WORKER);
        exit.set_process_id(id);
        exit.set_signalled(true);
        exit.set_status(SIGKILL);
        stage.core().processExited(exit, 0, stage.at());
        stage.pass(100ms);
    }
    /// All of them live, and say so.
    void pass(Nanos duration) {
        for (const Nanos end = stage.at().now + duration; stage.at().now < end;) {
            for (std::uint32_t id = 0; id < workers_; ++id)
                stage.beat(id, wire::PHASE_DONE, 0, 1);
            stage.pass(100ms);
        }
    }
    [[nodiscard]] std::string cause() const {
        if (stage.outcomes.empty()) return "none";
        const wire::Failure& failure = stage.outcomes.back().failure;
        return std::to_string(failure.process_id()) + ": " + failure.cause();
    }

    Stage stage;

private:
    static JobRules rulesOf(std::uint32_t workers) {
        JobRules rules = Stage::rules(workers, 0);
        rules.followUpGrace = kGrace;
        return rules;
    }
    std::uint32_t workers_;
};

}  // namespace

class LostConnectionsTest : public QObject {
    Q_OBJECT
private slots:
    void theCommonEndIsWhereMostEnd_data() {
        QTest::addColumn<Pairs>("pairs");
        QTest::addColumn<int>("end");  // -1: there is none
        QTest::newRow("none") << Pairs{} << -1;
        QTest::newRow("one") << Pairs{{1, 0}} << -1;
        QTest::newRow("one, told from both ends") << Pairs{{1, 0}, {0, 1}} << -1;
        QTest::newRow("two") << Pairs{{1, 0}, {2, 0}} << 0;
        QTest::newRow("two, one of them twice") << Pairs{{1, 0}, {2, 0}, {0, 1}} << 0;
        QTest::newRow("two that it tells of itself") << Pairs{{2, 0}, {2, 1}} << 2;
        QTest::newRow("one here, one there") << Pairs{{1, 0}, {2, 3}, {3, 2}} << -1;
        QTest::newRow("a ring") << Pairs{{0, 1}, {1, 2}, {2, 0}} << -1;
    }
    void theCommonEndIsWhereMostEnd() {
        QFETCH(const Pairs, pairs);
        QFETCH(const int, end);
        LostConnections lost;
        for (const auto& [teller, peer] : pairs)
            lost.add(teller, peer);
        const auto found = lost.commonEnd();
        QCOMPARE(found ? static_cast<int>(*found) : -1, end);
    }

    void whoseConnectionsAllWereCutIsNamedWhoeverTellsFirst_data() {
        QTest::addColumn<Order>("order");
        QTest::newRow("0 1 2") << Order{0, 1, 2};
        QTest::newRow("0 2 1") << Order{0, 2, 1};
        QTest::newRow("1 0 2") << Order{1, 0, 2};
        QTest::newRow("1 2 0") << Order{1, 2, 0};
        QTest::newRow("2 0 1") << Order{2, 0, 1};
        QTest::newRow("2 1 0") << Order{2, 1, 0};
    }
    void whoseConnectionsAllWereCutIsNamedWhoeverTellsFirst() {
        QFETCH(const Order, order);
        Cluster cluster(3);
        for (const std::uint32_t id : order) {
            QCOMPARE(cluster.cause(), std::string("none"));
            const std::uint32_t peer = id == 0 ? 1 : 0;
            cluster.tell(id, peer, "lost the connection to replica " + std::to_string(peer));
        }
        // At once: all have told of theirs, so nobody is dead.
        QCOMPARE(cluster.cause(), std::string("0: lost the connection to replica 1"));
    }

    void whoDoesNotTellOfItItselfIsNamedByTheOthers() {
        Cluster cluster(4);
        cluster.tell(3, 1);
        cluster.tell(2, 1);
        cluster.pass(kGrace - 200ms);
        QCOMPARE(cluster.cause(), std::string("none"));  // its agent may have more to tell
        cluster.pass(400ms);
        QCOMPARE(cluster.cause(),
                 std::string("1: processes 2, 3 have lost their connections to it"));
        const Outcome& outcome = cluster.stage.outcomes.back();
        QCOMPARE(outcome.failure.host(), std::string("hostB"));
        QVERIFY(QByteArray::fromStdString(outcome.remedy).contains("firewall"));
    }

    void theReplicasOfAProcessAreOneEnd() {
        Cluster cluster(3, 2);  // 0: replicas 0 and 1, 1: replicas 2 and 3
        cluster.tell(0, 2);
        cluster.tell(2, 3);
        cluster.pass(kGrace + 200ms);
        QCOMPARE(cluster.cause(),
                 std::string("1: processes 0, 2 have lost their connections to it"));
    }

    void ofTwoProcessesTheFirstToTellIsNamed() {
        Cluster cluster(2);
        cluster.tell(1, 0, "lost the connection to replica 0");
        cluster.tell(0, 1, "lost the connection to replica 1");
        cluster.pass(kGrace - 200ms);
        QCOMPARE(cluster.cause(), std::string("none"));
        cluster.pass(400ms);
        QCOMPARE(cluster.cause(), std::string("1: lost the connection to replica 0"));
    }

    void whoDiedIsTheCauseThoughMoreConnectionsEndElsewhere() {
        Cluster cluster(4);
        cluster.tell(1, 0);
        cluster.tell(2, 0);
        cluster.pass(1s);
        cluster.kill(3);
        QCOMPARE(cluster.cause(), std::string("3: was killed by signal 9 (SIGKILL)"));
    }

    void whoTellsOfNoPeerAndOfNoneOfTheJobAddsNoEnd() {
        Cluster cluster(3);
        cluster.tell(2, std::nullopt, "another one is gone");
        cluster.tell(1, 77);
        cluster.tell(0, 0);
        cluster.pass(kGrace + 200ms);
        QCOMPARE(cluster.cause(), std::string("2: another one is gone"));
    }
};

QTEST_GUILESS_MAIN(LostConnectionsTest)
#include "tst_lost_connections.moc"
