// SPDX-License-Identifier: Apache-2.0
// launch.on_failure = "regroup" over ssh: whoever is lost, the run goes on from the newest step
// that its hosts have kept in memory, and ends with the bits of an undisturbed one.
#include <QtTest>

#include "tests/integration/hosts_place.h"

using namespace lockstep::tests;

namespace {

/// It must outlive what is done to it; where more processes are than processors, a step is slow.
int epochsOf(const QList<int>& hosts) {
    return hosts.size() > 2 ? 8 : 30;
}
constexpr int kLeaseSeconds = 3;

/// Checkpoints come so seldom that one of them is no step that anybody would go on from.
QByteArray job(const QList<int>& hosts) {
    QByteArray text = longerJob(epochsOf(hosts));
    text.replace("evaluator = false", "evaluator = false\ndevice = \"cpu\"");
    text.replace("every_steps = 50", hosts.size() > 2 ? "every_steps = 200" : "every_steps = 400");
    return jobOnHosts(text, hosts,
                      "on_failure = \"regroup\"\nmax_restarts = 4\nlease_seconds = " +
                          QByteArray::number(kLeaseSeconds) + "\n");
}

}  // namespace

class SshRegroupTest : public QObject {
    Q_OBJECT

private:
    QMap<QString, QString> undisturbed_;  ///< The state hash, by where the processes are.

    static QString keyOf(const QList<int>& hosts) {
        QString key;
        for (const int host : hosts)
            key += QString::number(host);
        return key;
    }
    /// Of a run that nobody disturbs.
    QString wanted(const QList<int>& hosts) {
        QString& hash = undisturbed_[keyOf(hosts)];
        if (!hash.isEmpty()) return hash;
        const Workplace place;
        place.write("job.toml", job(hosts));
        const auto program = place.start({"run", "job.toml", "--run-dir", "run"});
        if (program->waitForEnd(std::chrono::seconds(150)).exitedWith(0))
            hash = place.stateHash("run");
        return hash;
    }
    /// Where the lives after the first began, as process 0 has said it.
    static QList<int> keptSteps(const Workplace& place) {
        QList<int> steps;
        static const QRegularExpression said("going on from step (\\d+), which ");
        auto found = said.globalMatch(QString::fromUtf8(place.read("run/logs/process-0.log")));
        while (found.hasNext())
            steps.append(found.next().captured(1).toInt());
        return steps;
    }
    /// Of a host: it lives on where the agent is killed.
    static pid_t keeperOf(int host) {
        const auto found = startedWith(host, "--keep");
        return found.size() == 1 ? found.first() : 0;
    }
    static void killAgentOf(int host) {
        const auto found = startedWith(host, "--agent");
        QCOMPARE(found.size(), 1);
        QCOMPARE(::kill(found.first(), SIGKILL), 0);
    }
    static QString warningsOf(const Workplace& place) {
        return QString::fromUtf8(
            QJsonDocument(place.summary("run")["warnings"].toArray()).toJson());
    }
    /// It has ended as if nobody had been lost, and no completed step was done again.
    void wentOn(const Workplace& place, Program& program, const QList<int>& hosts, int restarts,
                bool isGapless = true) {
        const Ended ended = program.waitForEnd(std::chrono::seconds(150));
        REQUIRE_EXIT(ended, 0);
        const QJsonObject summary = place.summary("run");
        QCOMPARE(summary["status"].toString(), "completed");
        QCOMPARE(summary["restarts"].toInt(), restarts);
        const QList<int> kept = keptSteps(place);
        QCOMPARE(kept.size(), restarts);
        const QJsonArray failures = summary["failures"].toArray();
        QCOMPARE(failures.size(), restarts);
        for (int i = 0; i < restarts; ++i)
            QVERIFY2(kept[i] >= failures[i].toObject()["step"].toInt(),
                     "a completed step was lost");
        QCOMPARE(place.stateHash("run"), wanted(hosts));
        if (isGapless)
            QVERIFY2(
                hasEveryStep(place, "run", static_cast<int>(hosts.size()), epochsOf(hosts) * 116),
                "a step is told twice, or not at all");
    }

private slots:
    void initTestCase() {
        if (!insideHosts()) QSKIP(qPrintable(whyNoHosts()));
    }
    void cleanup() {
        if (!insideHosts()) return;
        for (int host = 1; host <= kHostCount; ++host)
            healHost(host);
        QVERIFY2(waitUntil([] { return workersOnAllHosts().isEmpty(); }, std::chrono::seconds(15)),
                 "a process of the run is left on a host");
    }

    void aKilledWorkerOfAnyHostCostsNoStep_data() {
        QTest::addColumn<QList<int>>("hosts");
        QTest::addColumn<QList<int>>("victims");
        QTest::newRow("of the other of two hosts") << QList<int>{1, 2} << QList<int>{2};
        QTest::newRow("of process 0's host") << QList<int>{1, 2} << QList<int>{1};
        QTest::newRow("of three hosts, one after the other")
            << QList<int>{1, 2, 3} << QList<int>{2, 3};
        QTest::newRow("where processes share memory") << QList<int>{1, 2, 2} << QList<int>{2};
    }
    void aKilledWorkerOfAnyHostCostsNoStep() {
        QFETCH(const QList<int>, hosts);
        QFETCH(const QList<int>, victims);
        QVERIFY(!wanted(hosts).isEmpty());
        const Workplace place;
        place.write("job.toml", job(hosts));
        const auto program = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY2(place.firstCheckpointComes("run"), program->errors().constData());
        int lives = 0;
        for (const int victim : victims) {
            QVERIFY(waitUntil([&] { return keptSteps(place).size() == lives; }));
            const auto workers = startedWith(victim, "--member");
            QVERIFY(!workers.isEmpty());
            QCOMPARE(::kill(workers.last(), SIGKILL), 0);
            ++lives;
            QVERIFY2(waitUntil([&] { return keptSteps(place).size() == lives; }),
                     program->errors().constData());
        }
        wentOn(place, *program, hosts, lives);
        QCOMPARE(place.summary("run")["warnings"].toArray(), QJsonArray());
    }

    void aKilledAgentOfAnyHostCostsNoStep_data() {
        QTest::addColumn<int>("victim");
        QTest::newRow("of another host") << 2;
        QTest::newRow("process 0's") << 1;
    }
    void aKilledAgentOfAnyHostCostsNoStep() {
        QFETCH(const int, victim);
        const QList<int> hosts{1, 2};
        QVERIFY(!wanted(hosts).isEmpty());
        const Workplace place;
        place.write("job.toml", job(hosts));
        const auto program = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY2(place.firstCheckpointComes("run"), program->errors().constData());
        const pid_t keeper = keeperOf(victim);
        QVERIFY(keeper > 0);
        killAgentOf(victim);
        if (QTest::currentTestFailed()) return;
        QVERIFY(waitUntil([&] { return keptSteps(place).size() == 1; }, std::chrono::seconds(60)));
        QCOMPARE(keeperOf(victim), keeper);
        wentOn(place, *program, hosts, 1);
        QVERIFY2(!warningsOf(place).contains("no step that was kept"),
                 qPrintable(warningsOf(place)));
    }
    /// As a host that is gone with all its memory, and comes back.
    void aHostThatHasLostItsMemoryIsGivenTheStepByProcess0sHost() {
        const QList<int> hosts{1, 2};
        QVERIFY(!wanted(hosts).isEmpty());
        const Workplace place;
        place.write("job.toml", job(hosts));
        const auto program = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY2(place.firstCheckpointComes("run"), program->errors().constData());
        const pid_t keeper = keeperOf(2);
        QVERIFY(keeper > 0);
        QCOMPARE(::kill(keeper, SIGKILL), 0);
        killAgentOf(2);
        if (QTest::currentTestFailed()) return;
        // What its worker had not told is lost with it.
        wentOn(place, *program, hosts, 1, false);
        QVERIFY(place.read("run/logs/process-0.log")
                    .contains("which process 0's host has kept in memory: process 1 has lost it, "
                              "and is given it from there"));
        QVERIFY2(!warningsOf(place).contains("no step that was kept"),
                 qPrintable(warningsOf(place)));
    }
    void aSpareThatTakesALostHostsPlaceIsGivenTheStep() {
        constexpr int kSpare = 3;
        const QList<int> hosts{1, 2};
        QVERIFY(!wanted(hosts).isEmpty());
        const Workplace place;
        place.write("job.toml", job(hosts) + "spare_after_seconds = 1\nspares = [\"10.77.0.3\"]\n");
        const auto program = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY2(place.firstCheckpointComes("run"), program->errors().constData());
        cutOff(2);
        QVERIFY2(waitUntil([] { return !startedWith(kSpare, "--agent").isEmpty(); },
                           std::chrono::seconds(90)),
                 program->errors().constData());
        // What the lost host has kept waits there for an agent, for some minutes.
        const pid_t keeper = keeperOf(2);
        QVERIFY(keeper > 0);
        QCOMPARE(workersOn(2), QList<pid_t>{keeper});
        QCOMPARE(::kill(keeper, SIGTERM), 0);
        healHost(2);
        wentOn(place, *program, hosts, 1, false);
        QVERIFY(
            place.read("run/logs/process-0.log").contains("process 1 has lost it, and is given"));
        QVERIFY2(!warningsOf(place).contains("no step that was kept"),
                 qPrintable(warningsOf(place)));
    }
    /// It alone knows what epochs have led to: then the disk has to do.
    void whereProcess0sHostHasLostItsMemoryTheCheckpointIsTakenAndThatIsSaid() {
        const QList<int> hosts{1, 2};
        QVERIFY(!wanted(hosts).isEmpty());
        const Workplace place;
        place.write("job.toml", job(hosts));
        const auto program = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY2(place.firstCheckpointComes("run"), program->errors().constData());
        const pid_t keeper = keeperOf(1);
        QVERIFY(keeper > 0);
        QCOMPARE(::kill(keeper, SIGKILL), 0);
        killAgentOf(1);
        if (QTest::currentTestFailed()) return;
        REQUIRE_EXIT(program->waitForEnd(std::chrono::seconds(150)), 0);
        QVERIFY2(warningsOf(place).contains("no step that was kept in memory can be gone on from: "
                                            "the agent that held them was lost"),
                 qPrintable(warningsOf(place)));
        QVERIFY(keptSteps(place).isEmpty());
        QCOMPARE(place.stateHash("run"), wanted(hosts));
    }
};

LOCKSTEP_HOSTS_TEST_MAIN(SshRegroupTest)
#include "tst_ssh_regroup.moc"
