// SPDX-License-Identifier: Apache-2.0
// Where a launch over ssh is left starts, whatever of its hosts dies is followed by another start
// on all of them, and the end has the bits of an undisturbed run.
#include <QtTest>

#include "tests/integration/hosts_place.h"

using namespace lockstep::tests;

namespace {

constexpr int kLeaseSeconds = 3;
constexpr int kEpochs = 60;  ///< Ten seconds: it must outlive what is done to it.

enum class Victim { OtherAgent, HomeAgent, Service, Sshd, HomeSshd, Line };

/// The process that started another one; 0: it is gone.
pid_t parentOf(pid_t pid) {
    QFile status(QString("/proc/%1/stat").arg(pid));
    if (!status.open(QIODevice::ReadOnly)) return 0;
    const QByteArray text = status.readAll();
    return text.mid(text.lastIndexOf(')') + 2).split(' ').value(1).toInt();
}

/// The sshd of the connection that a service belongs to.
pid_t sshdOf(pid_t service) {
    for (pid_t pid = service; pid > 1; pid = parentOf(pid)) {
        QFile name(QString("/proc/%1/comm").arg(pid));
        if (name.open(QIODevice::ReadOnly) && name.readAll().startsWith("sshd")) return pid;
    }
    return 0;
}

pid_t only(const QList<pid_t>& processes) {
    return processes.size() == 1 ? processes.first() : 0;
}

}  // namespace

Q_DECLARE_METATYPE(Victim)

class SshRestartsTest : public QObject {
    Q_OBJECT

private:
    static bool nothingIsLeft() {
        return waitUntil([] { return workersOnAllHosts().isEmpty(); }, std::chrono::seconds(15));
    }
    static QByteArray job(int restarts) {
        return jobOnHosts(longerJob(kEpochs), {1, 2},
                          "max_restarts = " + QByteArray::number(restarts) +
                              "\nlease_seconds = " + QByteArray::number(kLeaseSeconds) + "\n");
    }
    static pid_t processOf(Victim victim) {
        switch (victim) {
            case Victim::OtherAgent:
                return only(startedWith(2, "--agent"));
            case Victim::HomeAgent:
                return only(startedWith(1, "--agent"));
            case Victim::Service:
                return only(startedWith(2, "--host"));
            case Victim::Sshd:
                return sshdOf(only(startedWith(2, "--host")));
            case Victim::HomeSshd:
                return sshdOf(only(startedWith(1, "--host")));
            case Victim::Line:
                return 0;
        }
        return 0;
    }
    static void strike(Victim victim) {
        if (victim == Victim::Line) return cutFromDesktop(2);
        const pid_t pid = processOf(victim);
        QVERIFY2(pid > 1, "there is nobody to kill");
        ::kill(pid, SIGKILL);
    }
    static void addVictims() {
        QTest::addColumn<Victim>("victim");
        QTest::addColumn<QString>("cause");
        const QString agent =
            "process %1 \\(10\\.77\\.0\\.%2\\): its agent was killed by signal 9 "
            "\\(SIGKILL\\)";
        const QString line = "process %1 \\(10\\.77\\.0\\.%2\\): .+";
        QTest::newRow("the agent of another host") << Victim::OtherAgent << agent.arg(1).arg(2);
        QTest::newRow("process 0's agent") << Victim::HomeAgent << agent.arg(0).arg(1);
        QTest::newRow("the service of a host") << Victim::Service << line.arg(1).arg(2);
        QTest::newRow("the sshd of a connection") << Victim::Sshd << line.arg(1).arg(2);
        QTest::newRow("the sshd of process 0's host") << Victim::HomeSshd << line.arg(0).arg(1);
        QTest::newRow("the line, longer than the lease") << Victim::Line << line.arg(1).arg(2);
    }

    QString undisturbed_;

    void goesOn(const Workplace& place, const QString& run, Program& program, int restarts) const {
        const Ended ended = program.waitForEnd(std::chrono::seconds(150));
        REQUIRE_EXIT(ended, 0);
        const QJsonObject summary = place.summary(run);
        QCOMPARE(summary["status"].toString(), "completed");
        QCOMPARE(summary["restarts"].toInt(), restarts);
        QCOMPARE(summary["failures"].toArray().size(), restarts);
        QCOMPARE(place.stateHash(run), undisturbed_);
    }

private slots:
    void initTestCase() {
        if (!insideHosts()) QSKIP(qPrintable(whyNoHosts()));
        const Workplace place;
        place.write("job.toml", job(0));
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "run"}), 0);
        undisturbed_ = place.stateHash("run");
        QVERIFY(!undisturbed_.isEmpty());
    }
    void cleanup() {
        if (!insideHosts()) return;
        for (int host = 1; host <= kHostCount; ++host)
            healHost(host);
        QVERIFY2(nothingIsLeft(), "a process of the run is left on a host");
    }

    void theRunBeginsAgainOnAllHosts_data() { addVictims(); }
    void theRunBeginsAgainOnAllHosts() {
        QFETCH(const Victim, victim);
        QFETCH(const QString, cause);
        const Workplace place;
        place.write("job.toml", job(2));
        const auto program = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY2(place.firstCheckpointComes("run"), program->errors().constData());
        strike(victim);
        if (QTest::currentTestFailed()) return;
        if (victim == Victim::Line) {
            QTest::qWait((kLeaseSeconds + 2) * 1000);  // a pause: longer than the lease
            healHost(2);
        }
        goesOn(place, "run", *program, 1);
        if (QTest::currentTestFailed()) return;
        const QString told = place.summary("run")["failures"].toArray().first()["cause"].toString();
        QVERIFY2(QRegularExpression("^" + cause + "$").match(told).hasMatch(), qPrintable(told));
        QVERIFY2(program->errors().contains("begins again on all hosts, restart 1 of 2"),
                 program->errors().constData());
    }
    void whatTheHostsDoNotSeeIsCopiedOnToItsEnd() {
        const Workplace place;
        place.write("job.toml", job(2));
        QDir().mkdir(place.path("own"));
        for (const int host : {1, 2})  // something else lies there
            REQUIRE_EXIT(onHost(host, "mount -t tmpfs tmpfs " + place.path("own")), 0);
        const auto program = place.start({"run", "job.toml", "--run-dir", "own/run"});
        for (const Victim victim : {Victim::HomeAgent, Victim::OtherAgent}) {
            const auto epochs = [&] { return program->errors().count("epoch 1"); };
            const auto before = epochs();
            QVERIFY2(waitUntil([&] { return epochs() > before; }), program->errors().constData());
            strike(victim);
            if (QTest::currentTestFailed()) return;
            QVERIFY(waitUntil([&] { return program->errors().contains("begins again"); }));
        }
        goesOn(place, "own/run", *program, 2);
        for (const int host : {1, 2})
            onHost(host, "umount " + place.path("own"));
        if (QTest::currentTestFailed()) return;
        QVERIFY(hasEveryStep(place, "own/run", 2, kEpochs * 116));
        REQUIRE_EXIT(place.run({"verify", "own/run"}), 0);
    }
    /// The launcher reaches both all the while, so no connection of its own tells it.
    void aCutBetweenTwoHostsIsFollowedByAnotherStart_data() {
        QTest::addColumn<QByteArray>("until");
        QTest::newRow("a short one, by the agents") << QByteArray("restart 1 of 2");
        QTest::newRow("a long one, by the launcher") << QByteArray(
            "process 1 (10.77.0.2): its agent and process 0's have lost each other: the "
            "run begins again on all hosts, restart 1 of 2");
    }
    void aCutBetweenTwoHostsIsFollowedByAnotherStart() {
        QFETCH(const QByteArray, until);
        const Workplace place;
        QByteArray text = job(2);
        text.replace("[cluster]\n", "[cluster]\nheartbeat_timeout_seconds = 3\n");
        place.write("job.toml", text);
        const auto program = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY2(place.firstCheckpointComes("run"), program->errors().constData());
        cutFromEachOther(2, 1);
        QVERIFY2(
            waitUntil([&] { return program->errors().contains(until); }, std::chrono::seconds(60)),
            program->errors().constData());
        healHost(2);
        const Ended ended = program->waitForEnd(std::chrono::seconds(150));
        REQUIRE_EXIT(ended, 0);
        const QJsonObject summary = place.summary("run");
        QVERIFY(summary["restarts"].toInt() <= 2);
        QCOMPARE(summary["failures"].toArray().first()["process_id"].toInt(), 1);
        QCOMPARE(place.stateHash("run"), undisturbed_);
    }
    void withoutStartsLeftItEnds_data() { addVictims(); }
    void withoutStartsLeftItEnds() {
        QFETCH(const Victim, victim);
        const Workplace place;
        place.write("job.toml", job(0));
        const auto program = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY2(place.firstCheckpointComes("run"), program->errors().constData());
        strike(victim);
        if (QTest::currentTestFailed()) return;
        const Ended ended = program->waitForEnd();
        REQUIRE_EXIT(ended, 1);
        QCOMPARE(errorsOf(ended).size(), 1);
        QVERIFY2(errorsOf(ended)[0].startsWith("process "), ended.words());
    }
    void whoStopsItWhileNothingRunsHasItStopped() {
        const Workplace place;
        place.write("job.toml", job(2));
        const auto program = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY2(place.firstCheckpointComes("run"), program->errors().constData());
        strike(Victim::HomeAgent);
        if (QTest::currentTestFailed()) return;
        QVERIFY(waitUntil([&] { return program->errors().contains("begins again"); }));
        QVERIFY(program->signal(SIGINT));
        REQUIRE_EXIT(program->waitForEnd(), 3);
    }
    void aDetachedRunEndsWhereNobodyCanStartAnAgentAgain() {
        const Workplace place;
        place.write("job.toml", job(2));
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "run", "--detach"}), 0);
        QVERIFY(place.firstCheckpointComes("run"));
        const auto watcher = place.start({"attach", "run"});
        strike(Victim::OtherAgent);
        if (QTest::currentTestFailed()) return;
        const Ended ended = watcher->waitForEnd(std::chrono::seconds(60));
        REQUIRE_EXIT(ended, 1);
        QVERIFY2(errorsOf(ended).value(0).contains("nobody starts it again"), ended.words());
    }
};

LOCKSTEP_HOSTS_TEST_MAIN(SshRestartsTest)
#include "tst_ssh_restarts.moc"
