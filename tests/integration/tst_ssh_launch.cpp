// SPDX-License-Identifier: Apache-2.0
// One command trains on four hosts over ssh, as one machine would.
#include <QtTest>

#include "tests/integration/hosts_place.h"

using namespace lockstep::tests;

class SshLaunchTest : public QObject {
    Q_OBJECT

private:
    static QByteArray withEvaluator(QByteArray job) {
        job.replace("evaluator = false", "evaluator = true");
        return job;
    }
    /// The same job on this machine; its state hash.
    static QString localHash(const Workplace& place, int processes, const QString& transport) {
        const Ended ended = place.run({"run", "job.toml", "--processes", QString::number(processes),
                                       "--set", "launch.method=local", "--set",
                                       "cluster.transport=" + transport, "--run-dir", "local"});
        return ended.exitedWith(0) ? place.stateHash("local") : QString(ended.words());
    }
    static bool nothingIsLeft() {
        return waitUntil([] { return workersOnAllHosts().isEmpty(); }, std::chrono::seconds(10));
    }
    /// Seconds from `start` to the first step that the run's journal tells.
    static double firstStep(const Workplace& place, const QString& run, const QDateTime& start) {
        double first = 0;
        for (const QByteArray& line :
             place.run({"export", run, "--format", "csv"}).output.split('\n')) {
            const QList<QByteArray> fields = line.split(',');
            if (fields.size() < 6 || fields[4] != "train/loss" || fields[1] != "1") continue;
            const double time = fields[0].toDouble();
            first = first == 0 ? time : std::min(first, time);
        }
        return first - static_cast<double>(start.toMSecsSinceEpoch()) / 1000.0;
    }

private slots:
    void initTestCase() {
        if (!insideHosts()) QSKIP(qPrintable(whyNoHosts()));
    }
    void cleanup() {
        QVERIFY2(!insideHosts() || nothingIsLeft(), "a process of the run is left on a host");
    }

    void fourHostsTrainAsOneMachine() {
        const Workplace place;
        place.write("job.toml", jobOnHosts(withEvaluator(kSmallJob), {1, 2, 3, 4}));
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "cold"}), 0);  // copies this build
        const QDateTime start = QDateTime::currentDateTimeUtc();
        const Ended ended = place.run({"run", "job.toml", "--run-dir", "remote"});
        REQUIRE_EXIT(ended, 0);
        const double seconds = firstStep(place, "remote", start);
        qInfo("launch to first step on 4 hosts: %.2f s", seconds);
        QVERIFY(seconds > 0 && seconds < 10);
        QCOMPARE(place.summary("remote")["world_size"].toInt(), 4);
        QCOMPARE(place.summary("remote")["backend"].toString(), "gloo");
        QCOMPARE(place.stateHash("remote"), localHash(place, 4, "gloo"));
        QVERIFY(ended.errors.contains("evaluator: checkpoint"));
        for (int id = 0; id < 4; ++id)
            QVERIFY(place.exists(QString("remote/logs/process-%1.log").arg(id)));
    }

    /// MNIST names the folder of the four IDX files.
    void fourHostsTrainOnTheRealMnist() {
        if (qEnvironmentVariableIsEmpty("MNIST")) QSKIP("MNIST=FOLDER is not set");
        const QByteArray job = mnistOr(withEvaluator(kSmallJob));
        const Workplace place;
        place.write("job.toml", jobOnHosts(job, {1, 2, 3, 4}));
        const QDateTime start = QDateTime::currentDateTimeUtc();
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "remote"}), 0);
        const QJsonObject summary = place.summary("remote");
        qInfo("MNIST on 4 hosts: test accuracy %.4f, %.1f s, launch to first step %.2f s",
              summary["test_accuracy"].toDouble(), summary["wall_seconds"].toDouble(),
              firstStep(place, "remote", start));
        QVERIFY(summary["test_accuracy"].toDouble() > 0.96);
        QCOMPARE(place.stateHash("remote"), localHash(place, 4, "gloo"));
    }

    void theWorkersOfAHostShareItsMemory() {
        const Workplace place;
        place.write("job.toml", jobOnHosts(kSmallJob, {1, 1, 2}));
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "remote"}), 0);
        QCOMPARE(place.summary("remote")["backend"].toString(), "shm+gloo");
        // Two on the first host, then one: the order of summation of one machine.
        QCOMPARE(place.stateHash("remote"), localHash(place, 3, "shm"));
    }
    void theWorkersOfAJoinedHostShareItsMemoryToo() {
        const Workplace place;
        place.write("job.toml", jobOnHosts(withEvaluator(kSmallJob), {1, 2, 2}));
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "remote"}), 0);
        QCOMPARE(place.summary("remote")["backend"].toString(), "shm+gloo");
    }

    void aFolderThatTheHostsDoNotSeeIsCopiedWhileItGrows() {
        const Workplace place;
        place.write("job.toml", jobOnHosts(kSmallJob, {1, 2}));
        QDir().mkdir(place.path("own"));
        for (const int host : {1, 2})  // something else lies there
            REQUIRE_EXIT(onHost(host, "mount -t tmpfs tmpfs " + place.path("own")), 0);
        const Ended ended = place.run({"run", "job.toml", "--run-dir", "own/run"});
        for (const int host : {1, 2})
            onHost(host, "umount " + place.path("own"));
        REQUIRE_EXIT(ended, 0);
        QVERIFY(hasEveryStep(place, "own/run", 2, 98));
        QCOMPARE(place.summary("own/run")["steps"].toInt(), 98);
        QVERIFY(!place.exists("own/run/checkpoints"));
        const QJsonObject record = place.readJson("own/run/remote.json").object();
        QVERIFY(!record["same_folder"].toBool());
        QVERIFY(record["ended"].toBool());
        const QString there = record["run_dir"].toString();
        QVERIFY(onHost(1, "cat " + there + "/checkpoints/LATEST").output.startsWith("step-98"));
        REQUIRE_EXIT(place.run({"attach", "own/run"}), 0);  // ended: from the copy
        QCOMPARE(place.stateHash("own/run"), localHash(place, 2, "gloo"));
    }

    void aDetachedRunIsComeBackToAndStopped() {
        const Workplace place;
        place.write("job.toml", jobOnHosts(longerJob(100'000), {1, 2}));
        const Ended launched = place.run({"run", "job.toml", "--run-dir", "run", "--detach"});
        REQUIRE_EXIT(launched, 0);
        QVERIFY(!workersOn(2).isEmpty());
        const auto watcher = place.start({"attach", "run"});
        QVERIFY(waitUntil([&] { return watcher->errors().contains("epoch 1: "); }));
        QVERIFY(watcher->signal(SIGINT));
        REQUIRE_EXIT(watcher->waitForEnd(), 0);
        QVERIFY(!workersOn(2).isEmpty());
        REQUIRE_EXIT(place.run({"stop", "run"}), 0);
        QVERIFY(nothingIsLeft());
        const int steps = place.summary("run")["steps"].toInt();
        QCOMPARE(place.summary("run")["status"].toString(), "stopped");
        QVERIFY(hasEveryStep(place, "run", 2, steps));
    }

    void interruptedItStopsWithACheckpoint() {
        const Workplace place;
        place.write("job.toml", jobOnHosts(longerJob(100'000), {1, 2}));
        const auto program = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY(place.firstCheckpointComes("run"));
        QVERIFY(program->signal(SIGINT));
        REQUIRE_EXIT(program->waitForEnd(), 3);
        QCOMPARE(place.latest("run"),
                 QString("step-%1").arg(place.summary("run")["steps"].toInt()));
    }

    void aHostThatForbidsForwardingIsFollowedThroughItsService() {
        const QString folder = QFileInfo(qEnvironmentVariable("SSH_CONFIG")).path();
        QFile config(folder + "/sshd4.conf");
        QVERIFY(config.open(QIODevice::Append));
        config.write("AllowStreamLocalForwarding no\n");
        config.close();
        REQUIRE_EXIT(onHost(4, "kill -HUP $(cat " + folder + "/sshd4.pid)"), 0);
        QVERIFY(waitUntil([] { return onHost(4, "true").exitedWith(0); }));
        const Workplace place;
        place.write("job.toml", jobOnHosts(kSmallJob, {4, 3}));
        const Ended ended = place.run({"run", "job.toml", "--run-dir", "run"});
        REQUIRE_EXIT(ended, 0);
        QVERIFY(hasEveryStep(place, "run", 2, 98));
    }

    void aHostThatIsNotThereIsNamedAndNothingIsStarted() {
        const Workplace place;
        place.write("job.toml", jobOnHosts(kSmallJob, {1, 2, 9}));
        const Ended ended = place.run({"run", "job.toml", "--run-dir", "run"});
        REQUIRE_EXIT(ended, 1);
        QCOMPARE(errorsOf(ended).size(), 1);
        QVERIFY2(errorsOf(ended)[0].startsWith("process 2 (10.77.0.9): "), ended.words());
        QVERIFY(!place.exists("run/journal"));
    }
    void aRunFolderThatCannotBeWrittenIsSaidWithItsHost() {
        const Workplace place;
        place.write("job.toml", jobOnHosts(kSmallJob, {1, 2}));
        QDir().mkdir(place.path("own"));
        for (const int host : {1, 2})
            REQUIRE_EXIT(onHost(host, "mount -t tmpfs -o ro tmpfs ~/.local/state"), 0);
        REQUIRE_EXIT(onHost(1, "mount -t tmpfs -o ro tmpfs " + place.path("own")), 0);
        const Ended ended = place.run({"run", "job.toml", "--run-dir", "own/run"});
        onHost(1, "umount " + place.path("own"));
        for (const int host : {1, 2})
            onHost(host, "umount ~/.local/state");
        REQUIRE_EXIT(ended, 2);
        QCOMPARE(errorsOf(ended).size(), 1);
        QVERIFY2(errorsOf(ended)[0].startsWith("10.77.0.1: cannot make "), ended.words());
    }

    void noSecretShowsWhileRunsAreLaunched() {
        const Workplace place;
        place.write("job.toml", jobOnHosts(kSmallJob, {1, 2}));
        const int launches = std::max(2, qEnvironmentVariableIntValue("LOCKSTEP_LAUNCHES"));
        QSet<QByteArray> keys;
        QByteArray seen;
        for (int i = 0; i < launches; ++i) {
            const QString run = QString("run-%1").arg(i);
            const auto program = place.start({"run", "job.toml", "--run-dir", run});
            QVERIFY(waitUntil([&] {
                collectKeys(keys);
                seen += whatShows();
                return !program->isRunning();
            }));
            REQUIRE_EXIT(program->waitForEnd(), 0);
        }
        for (const QByteArray& content : place.contents())
            seen += content;
        QVERIFY(keys.size() >= launches);
        for (const QByteArray& key : keys)
            QVERIFY(!seen.contains(key));
    }

private:
    /// The monitors' keys of the hosts' runs, from the private folders that they lie in.
    static void collectKeys(QSet<QByteArray>& keys) {
        QDirIterator next("/tmp/lockstep-0", {"monitor.key"}, QDir::Files,
                          QDirIterator::Subdirectories);
        while (next.hasNext()) {
            QFile file(next.next());
            if (!file.open(QIODevice::ReadOnly)) continue;
            const QList<QByteArray> lines = file.readAll().split('\n');
            if (lines.size() >= 3 && lines[2].size() == 40) keys.insert(lines[2]);
        }
    }
    /// Arguments and environments of all processes.
    static QByteArray whatShows() {
        QByteArray all;
        for (const QString& name : QDir("/proc").entryList(QDir::Dirs))
            for (const char* file : {"/cmdline", "/environ"}) {
                QFile text("/proc/" + name + file);
                if (name[0].isDigit() && text.open(QIODevice::ReadOnly)) all += text.readAll();
            }
        return all;
    }
};

LOCKSTEP_HOSTS_TEST_MAIN(SshLaunchTest)
#include "tst_ssh_launch.moc"
