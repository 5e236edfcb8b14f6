// SPDX-License-Identifier: Apache-2.0
// Processes that a user or a scheduler starts one by one: lockstep-worker JOB.toml, described by
// variables or arguments, without a launcher of ours.
#include <QTcpServer>
#include <QtTest>
#include <chrono>
#include <vector>

#include "core/base/clock.h"
#include "tests/integration/workplace.h"
#include "tests/support/frozen_thread.h"

using namespace lockstep;
using namespace lockstep::tests;
using namespace std::chrono_literals;

namespace {

const QString kWorker = LOCKSTEP_BINARY_DIR "/bin/lockstep-worker";
const QString kHost = "127.0.0.1";

/// A port that nobody has now. Whoever described a cluster by hand chose one, too.
int freePort() {
    QTcpServer server;
    return server.listen(QHostAddress::LocalHost) ? server.serverPort() : 0;
}

QString addressList(int processes, int port) {
    QStringList addresses{QString("%1:%2").arg(kHost).arg(port)};
    for (int id = 1; id < processes; ++id)
        addresses.append(kHost + ":0");
    return addresses.join(',');
}

/// The children of a process, as the kernel lists them for all of its threads.
QList<pid_t> childrenOf(pid_t pid) {
    QList<pid_t> children;
    const QStringList threads = QDir(QString("/proc/%1/task").arg(pid)).entryList(QDir::Dirs);
    for (const QString& thread : threads) {
        QFile file(QString("/proc/%1/task/%2/children").arg(pid).arg(thread));
        if (!file.open(QIODevice::ReadOnly)) continue;
        for (const QByteArray& child : file.readAll().split(' '))
            if (!child.isEmpty()) children.append(child.toInt());
    }
    return children;
}

/// The one folder below runs/ that is a run.
QString onlyRun(const Workplace& place) {
    const QStringList runs = QDir(place.path("runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    return runs.size() == 1 ? "runs/" + runs.first() : QString("no run, or several");
}

using Programs = std::vector<std::unique_ptr<Program>>;

/// `processes` of a job of `total`, each told its place by arguments.
Programs startByArguments(const Workplace& place, int processes, int total,
                          const QStringList& more = {}) {
    Programs programs;
    const QString coordinator = QString("%1:%2").arg(kHost).arg(freePort());
    for (int id = 0; id < processes; ++id)
        programs.push_back(place.startProgram(
            kWorker, QStringList{"job.toml", "--process-id", QString::number(id), "--num-processes",
                                 QString::number(total), "--coordinator-address", coordinator} +
                         more));
    return programs;
}

std::vector<Ended> endsOf(const Programs& programs) {
    std::vector<Ended> ends;
    for (const auto& program : programs)
        ends.push_back(program->waitForEnd());
    return ends;
}

QString localHash(int processes) {
    const Workplace place;
    const Ended ended = place.run({"run", "job.toml", "--processes", QString::number(processes),
                                   "--set", "cluster.transport=gloo", "--run-dir", "run"});
    return ended.exitedWith(0) ? place.stateHash("run") : QString::fromUtf8(ended.words());
}

/// As long as a thread of it is traced, it stays behind as a zombie.
bool hasEnded(qint64 pid) {
    QFile stat(QString("/proc/%1/stat").arg(pid));
    return !stat.open(QIODevice::ReadOnly) || stat.readAll().contains(") Z ");
}

}  // namespace

class StartedByHandTest : public QObject {
    Q_OBJECT
private slots:
    void withNothingGivenItIsOneProcess() {
        const Workplace place;
        REQUIRE_EXIT(place.startProgram(kWorker, {"job.toml"})->waitForEnd(), 0);
        const QString run = onlyRun(place);
        QCOMPARE(place.summary(run)["world_size"].toInt(), 1);
        QCOMPARE(place.summary(run)["status"].toString(), "completed");
        QVERIFY(place.nothingRunsSoon());
    }

    void theKerasVariablesFormOneJobAndTheResultOfALocalLaunch() {
        Workplace place;
        place.setEnvironment("KERAS_DISTRIBUTION_JOB_ADDRESSES", addressList(3, freePort()));
        place.setEnvironment("KERAS_DISTRIBUTION_NUM_PROCESSES", "3");
        Programs programs;
        for (const char* id : {"2", "1", "0"}) {
            place.setEnvironment("KERAS_DISTRIBUTION_PROCESS_ID", id);
            programs.push_back(
                place.startProgram(kWorker, {"job.toml", "--set", "cluster.transport=gloo"}));
        }
        for (const Ended& ended : endsOf(programs))
            REQUIRE_EXIT(ended, 0);
        const QString run = onlyRun(place);
        QCOMPARE(place.summary(run)["world_size"].toInt(), 3);
        QCOMPARE(place.summary(run)["backend"].toString(), "gloo");
        QCOMPARE(place.stateHash(run), localHash(3));
        QCOMPARE(QDir(place.path("runs/.starts")).entryList(QDir::Files), QStringList());
        QVERIFY(place.nothingRunsSoon());
    }

    /// With the transport left open, processes of one machine share its memory.
    void torchrunsVariablesFormOneJobThatSharesTheMemoryOfItsHost() {
        Workplace place;
        place.setEnvironment("MASTER_ADDR", kHost);
        place.setEnvironment("MASTER_PORT", QString::number(freePort()));
        place.setEnvironment("WORLD_SIZE", "2");
        Programs programs;
        for (const char* rank : {"0", "1"}) {
            place.setEnvironment("RANK", rank);
            place.setEnvironment("LOCAL_RANK", rank);
            programs.push_back(place.startProgram(kWorker, {"job.toml"}));
        }
        for (const Ended& ended : endsOf(programs))
            REQUIRE_EXIT(ended, 0);
        const QJsonObject summary = place.summary(onlyRun(place));
        QCOMPARE(summary["world_size"].toInt(), 2);
        QCOMPARE(summary["backend"].toString(), "shm");
        const Ended local =
            place.run({"run", "job.toml", "--processes", "2", "--run-dir", "local"});
        REQUIRE_EXIT(local, 0);
        QCOMPARE(summary["state_hash"].toString(), place.stateHash("local"));
    }

    void tfConfigStartsChiefWorkerAndEvaluator() {
        Workplace place;
        const QString cluster =
            QString(R"({"chief": ["%1:%2"], "worker": ["%1:%3"], "evaluator": ["%1:%4"]})")
                .arg(kHost)
                .arg(freePort())
                .arg(freePort())
                .arg(freePort());
        QByteArray job = kSmallJob;  // the variable says that there is an evaluator
        place.write("job.toml", job.replace("evaluator = false\n", ""));
        Programs programs;
        for (const char* role : {"evaluator", "worker", "chief"}) {
            place.setEnvironment("TF_CONFIG",
                                 QString(R"({"cluster": %1, "task": {"type": "%2", "index": 0}})")
                                     .arg(cluster)
                                     .arg(role));
            programs.push_back(place.startProgram(kWorker, {"job.toml"}));
        }
        for (const Ended& ended : endsOf(programs))
            REQUIRE_EXIT(ended, 0);
        const QString run = onlyRun(place);
        QCOMPARE(place.summary(run)["world_size"].toInt(), 2);
        const Ended exported = place.run({"export", run, "--format", "csv"});
        QVERIFY2(exported.output.contains("evaluator/accuracy"), exported.words().constData());
    }

    void whoIsMissingIsNamedFromTheFirstSecondsOnAndAtTheEnd() {
        const Workplace place;
        const auto began = std::chrono::steady_clock::now();
        Programs programs =
            startByArguments(place, 2, 5, {"--set", "cluster.initialization_timeout_seconds=3"});
        const auto saysWhoIsMissing = [&] {
            return programs[0]->errors().contains("waiting for processes 2-4 of 5 to register");
        };
        QVERIFY(waitUntil(saysWhoIsMissing, 2800ms));
        const std::vector<Ended> ends = endsOf(programs);
        const auto took = std::chrono::steady_clock::now() - began;
        for (const Ended& ended : ends) {
            REQUIRE_EXIT(ended, 1);
            const QStringList errors = errorsOf(ended);
            QCOMPARE(errors.size(), 1);
            QVERIFY2(errors.first().startsWith("process 2 (") &&
                         errors.first().endsWith("processes 2-4 of 5 did not register within 3 s"),
                     qPrintable(errors.first()));
        }
        QVERIFY2(took < 3s + 3s, "the timeout and what it takes to start and to end");
        QVERIFY(place.nothingRunsSoon());
    }

    void whoComesAfterTheEndIsToldHowTheRunEnded_data() {
        QTest::addColumn<bool>("named");
        QTest::newRow("by the name of the start, for ever") << true;
        QTest::newRow("by the address, for seconds") << false;
    }
    void whoComesAfterTheEndIsToldHowTheRunEnded() {
        QFETCH(bool, named);
        Workplace place;
        if (named) place.setEnvironment("LOCKSTEP_START_ID", "7");
        const QString coordinator = QString("%1:%2").arg(kHost).arg(freePort());
        place.setEnvironment("LOCKSTEP_COORDINATOR_ADDRESS", coordinator);
        place.setEnvironment("LOCKSTEP_NUM_PROCESSES", "2");
        const auto start = [&](const QString& id) {
            place.setEnvironment("LOCKSTEP_PROCESS_ID", id);
            return place.startProgram(kWorker, {"job.toml", "--set", "job.run_dir=run", "--set",
                                                "cluster.initialization_timeout_seconds=1"});
        };
        const auto first = start("0");
        if (named) REQUIRE_EXIT(first->waitForEnd(), 1);
        QVERIFY(waitUntil([&] { return place.exists("run/summary.json"); }));
        const Ended late = start("1")->waitForEnd();
        REQUIRE_EXIT(late, 1);
        QVERIFY2(
            errorsOf(late).value(0).contains("over before this process had joined: process 1 ("),
            late.words().constData());
        REQUIRE_EXIT(first->waitForEnd(), 1);
        QCOMPARE(QDir(place.path("run")).entryList({"*.key"}).size(), named ? 1 : 0);
    }

    void aMissingProcess0IsNamedWithTheFileThatItWouldHaveWritten() {
        const Workplace place;
        const auto program =
            place.startProgram(kWorker, {"job.toml", "--process-id", "1", "--num-processes", "2",
                                         "--coordinator-address", "127.0.0.1:4711", "--set",
                                         "cluster.initialization_timeout_seconds=1"});
        QVERIFY(waitUntil([&] { return program->errors().contains("waits for process 0 at"); }));
        const Ended ended = program->waitForEnd();
        REQUIRE_EXIT(ended, 1);
        const QString error = errorsOf(ended).value(0);
        QVERIFY2(error.contains("process 0 (127.0.0.1:4711) is missing: it did not write ") &&
                     error.contains("small-127.0.0.1-4711.key within 1 s"),
                 qPrintable(error));
    }

    void aDeadProcessEndsAllOthersWithOneNamedCause_data() {
        QTest::addColumn<int>("victim");
        QTest::addColumn<bool>("withItsAgent");
        QTest::addColumn<QString>("cause");
        QTest::newRow("a worker") << 1 << false << "was killed by signal 9 (SIGKILL)";
        QTest::newRow("the chief") << 0 << false << "was killed by signal 9 (SIGKILL)";
        QTest::newRow("a worker with its agent") << 2 << true << "is lost: ";
        QTest::newRow("process 0 with the coordinator")
            << 0 << true << "the coordinator at tcp://127.0.0.1:";
    }
    void aDeadProcessEndsAllOthersWithOneNamedCause() {
        QFETCH(int, victim);
        QFETCH(bool, withItsAgent);
        QFETCH(QString, cause);
        const Workplace place;
        place.write("job.toml", longerJob(100000));
        Programs programs = startByArguments(place, 3, 3);
        QVERIFY(waitUntil([&] { return place.exists(onlyRun(place) + "/checkpoints/LATEST"); }));
        const pid_t agent = programs[static_cast<std::size_t>(victim)]->pid();
        const QList<pid_t> children = childrenOf(agent);
        QCOMPARE(children.size(), 1);
        const auto struck = std::chrono::steady_clock::now();
        ::kill(withItsAgent ? agent : children.first(), SIGKILL);
        const std::vector<Ended> ends = endsOf(programs);
        const auto took = std::chrono::steady_clock::now() - struck;
        for (int id = 0; id < 3; ++id) {
            const Ended& ended = ends[static_cast<std::size_t>(id)];
            if (withItsAgent && id == victim) continue;
            REQUIRE_EXIT(ended, 1);
            const QStringList errors = errorsOf(ended);
            QCOMPARE(errors.size(), 1);
            QVERIFY2(errors.first().startsWith(QString("process %1 (").arg(victim)) &&
                         errors.first().contains(cause),
                     qPrintable(errors.first()));
        }
        QVERIFY2(took < 5s, qPrintable(QString::number(Seconds(took).count())));
        QVERIFY(place.nothingRunsSoon());
    }

    void aTerminationOfOneStopsAllInOrder_data() {
        QTest::addColumn<int>("process");
        QTest::addColumn<bool>("isWorker");
        QTest::newRow("process 1's agent") << 1 << false;
        QTest::newRow("process 1's worker") << 1 << true;
        QTest::newRow("process 0's worker") << 0 << true;
    }
    void aTerminationOfOneStopsAllInOrder() {
        QFETCH(int, process);
        QFETCH(bool, isWorker);
        const Workplace place;
        place.write("job.toml", longerJob(100000));
        Programs programs = startByArguments(place, 3, 3);
        QVERIFY(waitUntil([&] { return place.exists(onlyRun(place) + "/checkpoints/LATEST"); }));
        const pid_t agent = programs[static_cast<std::size_t>(process)]->pid();
        const QList<pid_t> workers = childrenOf(agent);
        QCOMPARE(workers.size(), 1);
        QCOMPARE(::kill(isWorker ? workers[0] : agent, SIGTERM), 0);
        for (const Ended& ended : endsOf(programs))
            REQUIRE_EXIT(ended, 3);
        const QString run = onlyRun(place);
        QCOMPARE(place.summary(run)["status"].toString(), "stopped");
        QCOMPARE(place.latest(run), QString("step-%1").arg(place.summary(run)["steps"].toInt()));
    }

    void aRestartByPolicyStartsTheWorkersOfAllAgentsAgain() {
        const Workplace place;
        place.write("job.toml", longerJob(60));
        Programs programs = startByArguments(place, 3, 3, {"--set", "launch.max_restarts=1"});
        QVERIFY(waitUntil([&] { return place.exists(onlyRun(place) + "/checkpoints/LATEST"); }));
        const QList<pid_t> children = childrenOf(programs[2]->pid());
        QCOMPARE(children.size(), 1);
        ::kill(children.first(), SIGKILL);
        for (const Ended& ended : endsOf(programs))
            REQUIRE_EXIT(ended, 0);
        QCOMPARE(place.summary(onlyRun(place))["restarts"].toInt(), 1);
    }

    /// As on hosts of their own: each agent holds its worker's memory, and they speak by Gloo.
    void whatEachAgentsWorkerKeptIsGoneOnFrom() {
        const Workplace place;
        place.write("job.toml", longerJob(60).replace("every_steps = 50", "every_steps = 400"));
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "undisturbed", "--processes", "3",
                                "--set", "cluster.transport=gloo"}),
                     0);
        Programs programs = startByArguments(
            place, 3, 3, {"--set", "launch.on_failure=regroup", "--set", "cluster.transport=gloo"});
        QVERIFY(waitUntil([&] { return place.exists(onlyRun(place) + "/checkpoints/LATEST"); }));
        for (const std::size_t victim : {2, 0}) {
            QList<pid_t> children;
            QVERIFY(waitUntil([&] {
                children = childrenOf(programs[victim]->pid());
                return children.size() == 1;
            }));
            ::kill(children.first(), SIGKILL);
            QVERIFY(waitUntil([&] {
                return place.read(onlyRun(place) + "/logs/process-0.log")
                           .count("which all processes have kept in memory") ==
                       (victim == 2 ? 1 : 2);
            }));
        }
        for (const Ended& ended : endsOf(programs))
            REQUIRE_EXIT(ended, 0);
        const QJsonObject summary = place.summary(onlyRun(place));
        QCOMPARE(summary["restarts"].toInt(), 2);
        QCOMPARE(summary["warnings"].toArray(), QJsonArray());
        QCOMPARE(summary["state_hash"].toString(), place.stateHash("undisturbed"));
    }

    void anotherJobThanProcess0sIsRefusedByTheLineThatDiffers() {
        const Workplace place;
        const QString coordinator = QString("%1:%2").arg(kHost).arg(freePort());
        const QStringList common{"job.toml", "--num-processes", "2", "--coordinator-address",
                                 coordinator};
        Programs programs;
        programs.push_back(place.startProgram(kWorker, common + QStringList{"--process-id", "0"}));
        programs.push_back(place.startProgram(
            kWorker, common + QStringList{"--process-id", "1", "--set", "training.epochs=7"}));
        for (const Ended& ended : endsOf(programs)) {
            REQUIRE_EXIT(ended, 2);
            QVERIFY2(errorsOf(ended).value(0).contains(
                         "another job than process 0: `epochs = 7` here, `epochs = 1` there"),
                     ended.words().constData());
        }
    }

    void aRunFolderThatOneProcessDoesNotSeeEndsAllAtOnce() {
        const Workplace place;
        const QString coordinator = QString("%1:%2").arg(kHost).arg(freePort());
        const QStringList common{"job.toml", "--num-processes", "2", "--coordinator-address",
                                 coordinator};
        Programs programs;
        programs.push_back(place.startProgram(kWorker, common + QStringList{"--process-id", "0"}));
        QVERIFY(waitUntil([&] { return place.exists(onlyRun(place) + "/processes.json"); }));
        const QString logs = place.path(onlyRun(place) + "/logs");
        QVERIFY(QDir().rename(logs, logs + "-elsewhere"));
        programs.push_back(place.startProgram(kWorker, common + QStringList{"--process-id", "1"}));
        const std::vector<Ended> ends = endsOf(programs);
        for (const Ended& ended : ends) {
            REQUIRE_EXIT(ended, 2);
            QVERIFY2(errorsOf(ended).value(0).contains("does not see the run folder"),
                     ended.words().constData());
        }
        QVERIFY(ends[1].words().contains("--set job.run_dir=FOLDER"));
        QVERIFY(place.nothingRunsSoon());
    }

    /// Nobody waits for it while the run goes on, and process 0 does at its end.
    void aHeldThreadOfItsAgentKeepsNoProcessFromEnding() {
        const Workplace place;
        place.write("job.toml", longerJob(100'000));
        const Programs programs = startByArguments(place, 2, 2, {"--set", "job.run_dir=run"});
        QVERIFY(place.firstCheckpointComes("run"));
        const FrozenThread held(threadNamed(programs[0]->pid(), "checkpoints"));
        if (!held.isHeld()) QSKIP("this user may not trace processes");
        REQUIRE_EXIT(place.run({"stop", "run"}), 0);
        REQUIRE_EXIT(programs[1]->waitForEnd(), 3);
        QVERIFY(waitUntil([&] { return programs[0]->errors().contains("it is left behind"); },
                          std::chrono::seconds(40)));
        QVERIFY(waitUntil([&] { return hasEnded(programs[0]->pid()); }, std::chrono::seconds(40)));
    }

    void whatKeepsProcess0FromStartingIsToldToAll() {
        const Workplace place;
        QTcpServer occupant;
        QVERIFY(occupant.listen(QHostAddress::LocalHost));
        const QString coordinator = QString("%1:%2").arg(kHost).arg(occupant.serverPort());
        Programs programs;
        for (const char* id : {"0", "1"})
            programs.push_back(
                place.startProgram(kWorker, {"job.toml", "--num-processes", "2", "--process-id", id,
                                             "--coordinator-address", coordinator}));
        for (const Ended& ended : endsOf(programs)) {
            REQUIRE_EXIT(ended, 2);
            QVERIFY2(errorsOf(ended).value(0).contains("the address is in use"),
                     ended.words().constData());
        }
        QVERIFY(!place.exists("runs"));
        QVERIFY(place.nothingRunsSoon());
    }
};

QTEST_GUILESS_MAIN(StartedByHandTest)
#include "tst_started_by_hand.moc"
