// SPDX-License-Identifier: Apache-2.0
// Jobs whose processes are all alive and which do not move: named, and ended as the job says.
#include <QTcpServer>
#include <QtTest>

#include "tests/integration/workplace.h"
#include "tests/support/frozen_thread.h"

using namespace lockstep::tests;

namespace {

constexpr int kEpochs = 60;
constexpr int kStepsOfAnEpoch = 116;
constexpr std::chrono::seconds kPatience{90};

QStringList jobIn(const QString& runDir, const QStringList& settings) {
    QStringList all{"run", "job.toml", "--processes", "2", "--run-dir", runDir};
    for (const QString& setting : settings)
        all << "--set" << setting;
    return all;
}

/// How to start process `id` of two on one machine, the second of which has a host's name of its
/// own: what goes between them is messages then, which may be lost, and not its host's memory.
QStringList startOf(int id, int port) {
    QStringList all{"--uts",
                    "sh",
                    "-c",
                    QString("echo host%1 > /proc/sys/kernel/hostname && exec \"$@\"").arg(id),
                    "sh",
                    LOCKSTEP_BINARY_DIR "/bin/lockstep-worker",
                    "job.toml",
                    "--process-id",
                    QString::number(id),
                    "--num-processes",
                    "2",
                    "--coordinator-address",
                    QString("127.0.0.1:%1").arg(port)};
    for (const char* setting : {"cluster.transport=gloo", "training.epochs=100000",
                                "launch.on_stuck=stop", "launch.stuck_grace_seconds=2"})
        all << "--set" << setting;
    return all;
}

}  // namespace

class StuckJobsTest : public QObject {
    Q_OBJECT

private:
    Workplace place_;

private slots:
    void init() { place_.write("job.toml", longerJob(kEpochs)); }
    void cleanup() { QVERIFY2(place_.nothingRunsSoon(), "a process of the job is left running"); }

    void aStuckReplicaIsNamedAndTheJobIsRestarted() {
        REQUIRE_EXIT(place_.run(jobIn("undisturbed", {})), 0);
        const auto run =
            place_.start(jobIn("restarted", {"launch.on_stuck=restart", "launch.max_restarts=1",
                                             "launch.stuck_grace_seconds=2"}));
        QVERIFY(place_.firstCheckpointComes("restarted"));
        // Of the first validation nobody knows how long it takes.
        QVERIFY(waitUntil([&] { return run->errors().contains("epoch 1: "); }));
        const auto workers = place_.processes("restarted", "worker");
        QCOMPARE(workers.size(), 2);
        const FrozenThread stuck(threadNamed(workers[1].pid, "train-1"));
        if (!stuck.isHeld()) QSKIP("this user may not trace processes");
        const Ended ended = run->waitForEnd(kPatience);
        REQUIRE_EXIT(ended, 0);
        const QJsonObject summary = place_.summary("restarted");
        QCOMPARE(summary["restarts"], QJsonValue(1));
        QCOMPARE(summary["failures"].toArray().size(), 1);
        const QJsonValue failure = summary["failures"][0];
        QCOMPARE(failure["process_id"], QJsonValue(1));
        const QString cause = failure["cause"].toString();
        QVERIFY2(QRegularExpression("^has (been|not moved) in .* for [0-9]+ s (at|after) "
                                    "step [0-9]+")
                     .match(cause)
                     .hasMatch(),
                 qPrintable(cause));
        QVERIFY2(ended.errors.contains("; it restarts in "), ended.words());
        QCOMPARE(place_.stateHash("restarted"), place_.stateHash("undisturbed"));
    }

    void aStuckJobThatIsToStopFailsWithItsCause() {
        const auto run =
            place_.start(jobIn("stopped", {"launch.on_stuck=stop", "launch.max_restarts=3",
                                           "launch.stuck_grace_seconds=0"}));
        QVERIFY(place_.firstCheckpointComes("stopped"));
        // Of the first validation nobody knows how long it takes.
        QVERIFY(waitUntil([&] { return run->errors().contains("epoch 1: "); }));
        const auto workers = place_.processes("stopped", "worker");
        QCOMPARE(workers.size(), 2);
        // Not the chief, which may be at its checkpoint: that may take its minutes.
        const FrozenThread stuck(threadNamed(workers[1].pid, "train-1"));
        if (!stuck.isHeld()) QSKIP("this user may not trace processes");
        const Ended ended = run->waitForEnd(kPatience);
        REQUIRE_EXIT(ended, 1);
        QCOMPARE(errorsOf(ended).size(), 1);
        QVERIFY2(errorsOf(ended)[0].startsWith("process 1 ("), ended.words());
        QVERIFY2(remedyOf(ended).join(' ').contains("launch.on_stuck = \"stop\" ended it"),
                 ended.words());
        QCOMPARE(place_.summary("stopped")["restarts"], QJsonValue(0));
    }

    /// Both wait in the all-reduce, the one for messages that are there: nothing but its own thread
    /// of Gloo, which does not answer, tells it from the other.
    void whoStandsStillInItsOwnWaitIsNamedAlone() {
        if (QProcess::execute("unshare", {"--uts", "true"}) != 0)
            QSKIP("this user may not give a host another name");
        QTcpServer server;
        QVERIFY(server.listen(QHostAddress::LocalHost));
        const int port = server.serverPort();
        server.close();
        const auto first = place_.startProgram("unshare", startOf(0, port));
        const auto second = place_.startProgram("unshare", startOf(1, port));
        const auto run = [this] {
            const QDir runs(place_.path("runs"));
            return "runs/" + runs.entryList(QDir::Dirs | QDir::NoDotAndDotDot).value(0);
        };
        // Of the first validation nobody knows how long it takes.
        const auto isBehindIt = [&] {
            return place_.latest(run()).mid(5).toInt() > kStepsOfAnEpoch;
        };
        QVERIFY2(waitUntil(isBehindIt, std::chrono::seconds(60)), first->errors().constData());
        pid_t thread = 0;
        for (const pid_t pid : place_.leftRunning())
            if (threadNamed(pid, "train-1") > 0) thread = threadNamed(pid, "gloo-loop");
        QVERIFY(thread > 0);
        const FrozenThread stuck(thread);
        if (!stuck.isHeld()) QSKIP("this user may not trace processes");
        const Ended ended = first->waitForEnd(kPatience);
        std::ignore = second->waitForEnd(kPatience);
        REQUIRE_EXIT(ended, 1);
        const QJsonValue failure = place_.summary(run())["failures"][0];
        QCOMPARE(failure["process_id"], QJsonValue(1));
        const QString cause = failure["cause"].toString();
        QVERIFY2(cause.startsWith("has not moved in ") &&
                     cause.contains(", and its threads do not answer; the others wait for it"),
                 qPrintable(cause));
    }

    void theLogOfWhoIsStuckSaysWhereItsThreadsStand() {
        const auto run =
            place_.start(jobIn("told", {"launch.on_stuck=stop", "launch.stuck_grace_seconds=3"}));
        QVERIFY(place_.firstCheckpointComes("told"));
        const auto drill =
            place_.start({"drill", "told", "stuck", "--process", "1", "--yes", "--json"});
        const Ended ended = run->waitForEnd(kPatience);
        REQUIRE_EXIT(ended, 1);
        std::ignore = drill->waitForEnd(kPatience);
        QVERIFY2(remedyOf(ended).join(' ').contains("logs/process-1.log"), ended.words());
        const QByteArray log = place_.read("told/logs/process-1.log");
        const QRegularExpression stack(
            "stack of thread train-1 of process 1 \\(stuck for [0-9]+ s\\):\n *#0 .+\n *#1 ");
        QVERIFY2(stack.match(QString::fromUtf8(log)).hasMatch(), log.constData());
    }

    void aWorkerWhoseTelemetryStandsIsNamedAndTellsOfItselfAgain() {
        const auto run = place_.start(jobIn("telemetry", {"training.epochs=100000"}));
        QVERIFY(place_.firstCheckpointComes("telemetry"));
        const auto workers = place_.processes("telemetry", "worker");
        QCOMPARE(workers.size(), 2);
        FrozenThread stands(threadNamed(workers[1].pid, "telemetry"));
        if (!stands.isHeld()) QSKIP("this user may not trace processes");
        const auto says = [&run](const QByteArray& words) {
            const QRegularExpression line("warning: process 1 \\([^)]*\\) " + words);
            return waitUntil(
                [&] { return line.match(QString::fromUtf8(run->errors())).hasMatch(); },
                std::chrono::seconds(30));
        };
        QVERIFY2(says("trains on, but its telemetry has stood still for 10"),
                 run->errors().constData());
        QVERIFY2(waitUntil([&] {
                     return place_.read("telemetry/logs/process-1.log")
                         .contains("stack of thread telemetry of process 1");
                 }),
                 place_.read("telemetry/logs/process-1.log").constData());
        const QString latest = place_.latest("telemetry");
        QVERIFY(waitUntil([&] { return place_.latest("telemetry") != latest; }));
        stands.letGo();
        QVERIFY2(says("tells of itself again: its telemetry stood still for "),
                 run->errors().constData());
        REQUIRE_EXIT(place_.run({"stop", "telemetry"}), 0);
        REQUIRE_EXIT(run->waitForEnd(), 3);
        QCOMPARE(place_.summary("telemetry")["restarts"], QJsonValue(0));
    }

    /// One that nobody waits for while the run trains, and everybody at its end.
    void aHeldThreadIsNamedAndTheRunEndsWithoutIt() {
        const auto run = place_.start(jobIn("held", {"training.epochs=100000"}));
        QVERIFY(place_.firstCheckpointComes("held"));
        const auto agents = place_.processes("held", "agent");
        const auto workers = place_.processes("held", "worker");
        QVERIFY(agents.size() == 1 && workers.size() == 2);
        const FrozenThread events(threadNamed(agents[0].pid, "events"));
        FrozenThread sigterm(threadNamed(workers[1].pid, "sigterm-watch"));
        if (!events.isHeld() || !sigterm.isHeld()) QSKIP("this user may not trace processes");
        const auto says = [&run](const QByteArray& words) {
            const QRegularExpression line("warning: the thread " + words);
            return waitUntil(
                [&] { return line.match(QString::fromUtf8(run->errors())).hasMatch(); },
                std::chrono::seconds(40));
        };
        QVERIFY2(says("events of the agent of host 0 \\([^)]*\\) has not run for 1[0-9.]+ s, held "
                      "by a debugger: TensorBoard's"),
                 run->errors().constData());
        QVERIFY2(says("sigterm-watch of process 1 \\([^)]*\\) has not run for 1[0-9.]+ s, held by "
                      "a debugger: a SIGTERM"),
                 run->errors().constData());
        sigterm.letGo();
        QVERIFY2(says("sigterm-watch of process 1 \\([^)]*\\) runs again: it had stood still"),
                 run->errors().constData());
        REQUIRE_EXIT(place_.run({"stop", "held"}), 0);
        REQUIRE_EXIT(run->waitForEnd(kPatience), 3);
        // What is traced is there, as a zombie, for as long as its tracer, which is this test.
        const auto hasEnded = [&] {
            QFile status(QString("/proc/%1/status").arg(agents[0].pid));
            return !status.open(QIODevice::ReadOnly) || status.readAll().contains("State:\tZ");
        };
        QVERIFY(waitUntil(hasEnded, std::chrono::seconds(40)));
        QVERIFY(place_.read("held/logs/agent.log").contains("their thread does not end"));
    }

    void aStoppedEvaluatorIsNamedAndEndedOnceItIsLost() {
        const auto run = place_.start(
            jobIn("evaluator", {"cluster.evaluator=true", "cluster.heartbeat_timeout_seconds=2",
                                "training.epochs=100000"}));
        QVERIFY(waitUntil([&] {
            return place_.read("evaluator/logs/evaluator.log").contains("validation loss");
        }));
        const auto evaluators = place_.processes("evaluator", "evaluator");
        QCOMPARE(evaluators.size(), 1);
        QCOMPARE(::kill(evaluators[0].pid, SIGSTOP), 0);
        QVERIFY(waitUntil([&] { return !isRunning(evaluators[0]); }, std::chrono::seconds(20)));
        const QString latest = place_.latest("evaluator");
        QVERIFY(waitUntil([&] { return place_.latest("evaluator") != latest; }));
        REQUIRE_EXIT(place_.run({"stop", "evaluator"}), 0);
        REQUIRE_EXIT(run->waitForEnd(), 3);
        QVERIFY(place_.read("evaluator/journal")
                    .contains("is stopped (SIGSTOP or a debugger), and sent no heartbeat for "));
    }

    void aStoppedAgentIsNamedAndEndedByForce() {
        REQUIRE_EXIT(
            place_.run(jobIn("agent", {"training.epochs=100000"}) + QStringList{"--detach"}), 0);
        QVERIFY(place_.firstCheckpointComes("agent"));
        const auto agents = place_.processes("agent", "agent");
        QCOMPARE(agents.size(), 1);
        const auto follower = place_.start({"attach", "agent"});
        QVERIFY(waitUntil([&] { return follower->errors().contains("training"); }));
        QCOMPARE(::kill(agents[0].pid, SIGSTOP), 0);
        const QByteArray words = "the run's agent (pid " + QByteArray::number(agents[0].pid) +
                                 ") is stopped, by SIGSTOP or a debugger";
        QVERIFY2(
            waitUntil([&] { return follower->errors().contains(words); }, std::chrono::seconds(20)),
            follower->errors().constData());

        const Ended refused = place_.run({"stop", "agent"});
        REQUIRE_EXIT(refused, 1);
        QVERIFY2(errorsOf(refused).join(' ').contains(words), refused.words());
        QVERIFY2(remedyOf(refused).join(' ').contains("kill -CONT"), refused.words());

        const Ended ended = place_.run({"stop", "--kill", "agent"});
        REQUIRE_EXIT(ended, 0);
        QVERIFY2(ended.output.contains(words + ": it was ended by force"), ended.words());
        const Ended left = follower->waitForEnd(std::chrono::seconds(20));
        QVERIFY2(!left.signalled && left.status == 1, left.words());
        QVERIFY(place_.nothingRunsSoon());
        const int reached = place_.latest("agent").mid(5).toInt() / kStepsOfAnEpoch;  // "step-N"
        REQUIRE_EXIT(place_.run(jobIn("agent", {QString("training.epochs=%1").arg(reached + 1)}) +
                                QStringList{"--resume"}),
                     0);
    }
};

QTEST_GUILESS_MAIN(StuckJobsTest)
#include "tst_stuck_jobs.moc"
