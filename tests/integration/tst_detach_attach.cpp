// SPDX-License-Identifier: Apache-2.0
// Jobs that run on by themselves, and who watches them.
#include <QtTest>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

QStringList detached(const QString& runDir, int epochs) {
    return {"run",       "job.toml", "--processes",
            "2",         "--set",    QString("training.epochs=%1").arg(epochs),
            "--run-dir", runDir,     "--detach"};
}

/// More than any of these tests waits for: such a job ends because it is stopped.
constexpr int kEndless = 100'000;

}  // namespace

class DetachAttachTest : public QObject {
    Q_OBJECT

private:
    Workplace place_;

    void stopRun(const QString& runDir) {
        const Ended ended = place_.run({"stop", runDir});
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(place_.summary(runDir)["status"], QJsonValue("stopped"));
    }

private slots:
    void initTestCase() { place_.write("job.toml", longerJob(1)); }
    void cleanup() { QVERIFY2(place_.nothingRunsSoon(), "a process of the job is left running"); }

    void detachReturnsWhileItTrainsAndAttachFollowsToTheEnd() {
        const Ended launched = place_.run(detached("followed", 200));
        REQUIRE_EXIT(launched, 0);
        QVERIFY2(launched.output.contains("lockstepctl attach"), launched.words());
        QVERIFY(!place_.exists("followed/summary.json"));
        QCOMPARE(place_.processes("followed", "worker").size(), 2);
        const Ended followed = place_.run({"attach", "followed"});
        REQUIRE_EXIT(followed, 0);
        QVERIFY(followed.output.contains("completed after 23200 steps on 2 replicas"));
        QVERIFY(followed.errors.contains("epoch 1: "));  // history before the attachment, too
        QVERIFY(followed.errors.contains("epoch 200: "));
    }
    void aDetachedJobThatIsOverAtOnceSaysHowItEnded() {
        const Ended ended =
            place_.run(detached("short", 1) + QStringList{"--set", "training.steps=1"});
        REQUIRE_EXIT(ended, 0);
        // Which of the two it is depends on who is faster: the job or its launcher.
        QVERIFY2(ended.output.contains("completed after") || ended.output.contains("running in "),
                 ended.words());
    }
    void attachingToAnEndedRunShowsItsEnd() {
        const Ended ended = place_.run({"attach", "followed"});
        REQUIRE_EXIT(ended, 0);
        QVERIFY(ended.output.contains("completed after 23200 steps on 2 replicas"));
    }
    void theJobHoldsNothingOfTheTerminalItCameFrom() {
        // `cat` ends when the last process that has the pipe closes it.
        const QString command = LOCKSTEP_BINARY_DIR "/bin/lockstepctl " +
                                detached("piped", kEndless).join(' ') + " 2>&1 | cat";
        const Ended ended = place_.startProgram("/bin/sh", {"-c", command})->waitForEnd();
        REQUIRE_EXIT(ended, 0);
        QVERIFY2(ended.output.contains("running in "), ended.words());
        QVERIFY(!place_.leftRunning().isEmpty());
        stopRun("piped");
    }

    void whatRestartsDoNotCoverFromNowOnIsSaidAtTheStartAndAtTheEnd() {
        const Ended launched = place_.run(detached("unwatched", kEndless) +
                                          QStringList{"--set", "launch.max_restarts=2"});
        REQUIRE_EXIT(launched, 0);
        QVERIFY2(launched.errors.contains("not that of its agent"), launched.words());
        QVERIFY(place_.firstCheckpointComes("unwatched"));
        const auto agents = place_.processes("unwatched", "agent");
        QCOMPARE(agents.size(), 1);
        QCOMPARE(::kill(agents[0].pid, SIGKILL), 0);
        QVERIFY(place_.nothingRunsSoon());
        const Ended shown = place_.run({"attach", "unwatched"});
        REQUIRE_EXIT(shown, 1);
        QVERIFY2(shown.errors.contains("none has taken its place so far"), shown.words());
        QVERIFY2(shown.errors.contains("--resume"), shown.words());
    }

    void stopEndsItWithACheckpoint() {
        REQUIRE_EXIT(place_.run(detached("stopped", kEndless)), 0);
        stopRun("stopped");
        QCOMPARE(place_.latest("stopped"),
                 QString("step-%1").arg(place_.summary("stopped")["steps"].toInt()));
        const Ended shown = place_.run({"attach", "stopped"});
        REQUIRE_EXIT(shown, 3);
        const Ended again = place_.run({"stop", "stopped"});
        REQUIRE_EXIT(again, 0);  // there is nothing left to do
    }
    void stoppingWithKillEndsItAtOnce() {
        REQUIRE_EXIT(place_.run(detached("ended", kEndless)), 0);
        REQUIRE_EXIT(place_.run({"stop", "ended", "--kill"}), 0);
        QVERIFY(place_.nothingRunsSoon());
    }
    void stopReachesARunWhoseSocketAndKeyAreGone() {
        REQUIRE_EXIT(place_.run(detached("deaf", kEndless)), 0);
        QVERIFY(QDir(place_.path("runtime/lockstep")).removeRecursively());
        stopRun("deaf");
    }
    void killReachesARunWhoseSocketAndKeyAreGone() {
        REQUIRE_EXIT(place_.run(detached("deafer", kEndless)), 0);
        QVERIFY(QDir(place_.path("runtime/lockstep")).removeRecursively());
        REQUIRE_EXIT(place_.run({"stop", "--kill", "deafer"}), 0);
        QVERIFY(place_.nothingRunsSoon());
    }
    /// As in a folder that machines share: the lock is held, by nobody of this one.
    void aRunOfAnotherMachineIsSaidToBeOutOfReachAtOnce() {
        REQUIRE_EXIT(place_.run(detached("afar", kEndless)), 0);
        QVERIFY(QDir(place_.path("runtime/lockstep")).removeRecursively());
        const QByteArray here = place_.read("afar/processes.json");
        QJsonArray list = QJsonDocument::fromJson(here).array();
        QVERIFY(!list.isEmpty());
        for (QJsonValueRef one : list) {
            QJsonObject entry = one.toObject();
            entry["host"] = "elsewhere";
            one = entry;
        }
        place_.write("afar/processes.json", QJsonDocument(list).toJson());
        for (const QStringList& how : {QStringList{}, QStringList{"--kill"}}) {
            QElapsedTimer timer;
            timer.start();
            const Ended refused = place_.run(QStringList{"stop", "afar"} + how);
            const qint64 took = timer.elapsed();
            REQUIRE_EXIT(refused, 1);
            QVERIFY2(refused.errors.contains("cannot be reached from this machine"),
                     refused.words());
            QVERIFY2(took < 3000, QByteArray::number(took));
        }
        place_.write("afar/processes.json", here);
        stopRun("afar");
    }
    void aStoppedRunGoesOnInTheBackground() {
        const Ended resumed = place_.run(detached("stopped", kEndless) + QStringList{"--resume"});
        REQUIRE_EXIT(resumed, 0);
        QVERIFY(resumed.output.contains("running in "));
        QVERIFY(!place_.exists("stopped/summary.json"));
        const Ended listed = place_.run({"runs", "."});
        REQUIRE_EXIT(listed, 0);
        QVERIFY(listed.output.contains("running"));
        stopRun("stopped");
    }
    void aWatcherThatIsInterruptedLeavesTheRunAlone() {
        REQUIRE_EXIT(place_.run(detached("left", kEndless)), 0);
        const auto watcher = place_.start({"attach", "left"});
        QVERIFY(waitUntil([&] { return watcher->errors().contains("epoch 1: "); }));
        QVERIFY(watcher->signal(SIGINT));
        REQUIRE_EXIT(watcher->waitForEnd(), 0);
        QVERIFY(!place_.exists("left/summary.json"));
        for (const ProcessIdentity& worker : place_.processes("left", "worker"))
            QVERIFY(isRunning(worker));
        stopRun("left");
    }
    void aClockThatIsSetBackSpoilsNeitherRateNorTimeLeft() {
        Workplace place;
        place.write("job.toml", longerJob(kEndless));
        place.setEnvironment("LD_PRELOAD", LOCKSTEP_BINARY_DIR "/tests/libjumping_clock.so");
        const auto terminal = place.start({"run", "job.toml", "--run-dir", "out"});
        // Lines come every two seconds: the third of them is long after the clock was set.
        const auto lines = [&terminal] {
            QList<QByteArray> found;
            for (const QByteArray& line : terminal->errors().split('\n'))
                if (line.startsWith("training: ")) found.append(line);
            return found;
        };
        QVERIFY(waitUntil([&] { return lines().size() >= 5; }));
        const QByteArray last = lines()[4];
        QVERIFY2(last.contains(" samples/s") && last.contains(" left"), last);
        QVERIFY(terminal->signal(SIGTERM));
        REQUIRE_EXIT(terminal->waitForEnd(), 3);
        const QByteArray took = place.run({"export", "out", "--format", "csv"}).output;
        double newest = 0;
        for (const QByteArray& line : took.split('\n').mid(1)) {
            const double wallTime = line.split(',')[0].toDouble();
            if (!line.contains("train/loss") || !line.contains(",0,0,")) continue;
            QVERIFY2(wallTime > newest, line);
            newest = wallTime;
        }
        QVERIFY(newest > 0);
    }
    void everyCheckpointOfARunningJobCanBeScoredFromOutside() {
        REQUIRE_EXIT(place_.run(detached("scored", 12)), 0);
        const auto watcher =
            place_.start({"evaluate", "scored", "--watch", "--json", "scores.json"});
        REQUIRE_EXIT(place_.run({"attach", "scored"}), 0);
        REQUIRE_EXIT(watcher->waitForEnd(), 0);
        const QJsonArray scores = place_.readJson("scores.json").array();
        QVERIFY(scores.size() >= 2);
        for (qsizetype i = 1; i < scores.size(); ++i)
            QVERIFY(scores[i]["step"].toInt() >= scores[i - 1]["step"].toInt());
        QCOMPARE(scores.last()["step"], QJsonValue(1392));
        QCOMPARE(scores.last()["accuracy"], place_.summary("scored")["test_accuracy"]);
    }
    void aRunIsFoundFromAnyWorkingDirectory() {
        const Workplace place;
        for (const char* folder : {"jobs", "here", "there"})
            QVERIFY(QDir().mkpath(place.path(folder)));
        place.write("jobs/job.toml", longerJob(kEndless));
        const auto in = [&place](const QString& folder, const QString& arguments) {
            const QString command = "cd " + place.path(folder) +
                                    " && exec " LOCKSTEP_BINARY_DIR "/bin/lockstepctl " + arguments;
            return place.startProgram("/bin/sh", {"-c", command})->waitForEnd();
        };
        REQUIRE_EXIT(in("here", "run ../jobs/job.toml --detach"), 0);
        QVERIFY(!place.exists("here/runs"));
        const QStringList runs =
            QDir(place.path("jobs/runs")).entryList(QDir::AllEntries | QDir::NoDotAndDotDot);
        QCOMPARE(runs.size(), 1);
        const Ended listed = in("there", "runs");
        REQUIRE_EXIT(listed, 0);
        QVERIFY2(listed.output.contains(place.path("jobs/runs/" + runs[0]).toUtf8()),
                 listed.words());
        QVERIFY2(listed.output.contains("new runs: runs/ beside the job file"), listed.words());
        REQUIRE_EXIT(in("there", "stop " + runs[0]), 0);
        REQUIRE_EXIT(in("there", "run ../jobs/job.toml --resume --detach"), 0);
        REQUIRE_EXIT(in("here", "stop " + runs[0]), 0);
        REQUIRE_EXIT(in("here", "attach " + runs[0]), 3);
        QVERIFY(place.nothingRunsSoon());
    }
    void aRunInAFolderOfItsOwnIsListedWhileItGoesOn() {
        const Workplace place;
        place.write("job.toml", longerJob(kEndless));
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "apart", "--detach"}), 0);
        const Ended listed = place.run({"runs"});
        QVERIFY2(listed.output.contains(place.path("apart").toUtf8()), listed.words());
        REQUIRE_EXIT(place.run({"stop", "apart"}), 0);
    }
    void aRunOfTheWorkingDirectoryIsResumedAsBefore() {
        const Workplace place;
        QVERIFY(QDir().mkpath(place.path("jobs")));
        place.write("jobs/job.toml", kSmallJob);
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "runs/small-old"}), 0);
        const Ended resumed = place.run({"run", "jobs/job.toml", "--resume"});
        REQUIRE_EXIT(resumed, 0);
        QVERIFY2(resumed.output.contains("runs/small-old"), resumed.words());
        QVERIFY(!place.exists("jobs/runs"));
        // The job's own place wins where both hold one that is newer.
        REQUIRE_EXIT(place.run({"run", "jobs/job.toml"}), 0);
        const Ended newer = place.run({"run", "jobs/job.toml", "--resume"});
        REQUIRE_EXIT(newer, 0);
        QVERIFY2(newer.output.contains("jobs/runs/small-"), newer.words());
    }
    void runsLieWhereTheUserWantsThem() {
        const Workplace place;
        const Ended chosen = place.run({"runs", "--keep-in", "mine"});
        REQUIRE_EXIT(chosen, 0);
        QCOMPARE(chosen.output, "new runs: " + place.path("mine").toUtf8() + "\n");
        REQUIRE_EXIT(place.run({"run", "job.toml"}), 0);
        QVERIFY(!place.exists("runs"));
        QVERIFY(!QDir(place.path("mine")).isEmpty());
        REQUIRE_EXIT(place.run({"runs", "--keep-in", "beside"}), 0);
        REQUIRE_EXIT(place.run({"run", "job.toml"}), 0);
        QVERIFY(!QDir(place.path("runs")).isEmpty());
    }
    void theJobFileSaysWhetherTheJobOutlivesItsTerminal_data() {
        QTest::addColumn<QString>("written");
        QTest::addColumn<bool>("goesOn");
        QTest::newRow("nothing written") << "" << false;
        QTest::newRow("tied") << "tied" << false;
        QTest::newRow("detached") << "detached" << true;
    }
    void theJobFileSaysWhetherTheJobOutlivesItsTerminal() {
        QFETCH(QString, written);
        QFETCH(bool, goesOn);
        const Workplace place;
        QByteArray job = longerJob(kEndless);
        if (!written.isEmpty()) job += "[launch]\non_disconnect = \"" + written.toUtf8() + "\"\n";
        place.write("job.toml", job);
        const auto terminal = place.start({"run", "job.toml", "--run-dir", "out"});
        QVERIFY(place.firstCheckpointComes("out"));
        QVERIFY(terminal->signal(SIGHUP));  // the terminal is closed
        (void)terminal->waitForEnd();
        if (!goesOn) {
            QVERIFY(place.nothingRunsSoon());
            return;
        }
        QVERIFY(
            !waitUntil([&] { return place.exists("out/summary.json"); }, std::chrono::seconds(2)));
        REQUIRE_EXIT(place.run({"stop", "out"}), 0);
    }
    void detachWinsOverTheJobFile() {
        const Workplace place;
        place.write("job.toml", longerJob(kEndless) + "[launch]\non_disconnect = \"tied\"\n");
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "out", "--detach"}), 0);
        QVERIFY(
            !waitUntil([&] { return place.exists("out/summary.json"); }, std::chrono::seconds(1)));
        REQUIRE_EXIT(place.run({"stop", "out"}), 0);
    }
    void aRunThatIsNotThereIsSaid() {
        const Ended ended = place_.run({"attach", "nowhere"});
        REQUIRE_EXIT(ended, 2);
        QCOMPARE(errorsOf(ended).size(), 1);
        QVERIFY(errorsOf(ended)[0].contains("nowhere"));
    }

    void aSecondRunInTheSameFolderIsRefusedAndTheFirstGoesOn() {
        REQUIRE_EXIT(place_.run(detached("taken", kEndless)), 0);
        const auto workers = place_.processes("taken", "worker");
        QCOMPARE(workers.size(), 2);
        for (const QStringList& more : {QStringList{}, QStringList{"--resume"}}) {
            const Ended second =
                place_.run(QStringList{"run", "job.toml", "--run-dir", "taken"} + more);
            REQUIRE_EXIT(second, 2);
            QCOMPARE(errorsOf(second).size(), 1);
            QVERIFY(errorsOf(second)[0].contains("taken"));
            QVERIFY(remedyOf(second).join(' ').contains("lockstepctl attach"));
        }
        for (const ProcessIdentity& worker : workers)
            QVERIFY(isRunning(worker));
        stopRun("taken");
    }

    void watchersChangeNothing() {
        const QStringList job{"run",   "job.toml",           "--processes", "2",
                              "--set", "training.epochs=60", "--run-dir"};
        REQUIRE_EXIT(place_.run(job + QStringList{"alone"}), 0);
        REQUIRE_EXIT(place_.run(job + QStringList{"watched", "--detach"}), 0);
        const auto first = place_.start({"attach", "watched"});
        const auto frozen = place_.start({"attach", "watched"});
        QVERIFY(waitUntil([&] { return frozen->errors().contains("epoch 1: "); }));
        QVERIFY(frozen->signal(SIGSTOP));
        const Ended followed = first->waitForEnd();
        REQUIRE_EXIT(followed, 0);
        QCOMPARE(place_.stateHash("watched"), place_.stateHash("alone"));
        // The run has ended without waiting for the frozen one, which then sees the end, too.
        QVERIFY(frozen->signal(SIGCONT));
        const Ended late = frozen->waitForEnd();
        REQUIRE_EXIT(late, 0);
        QCOMPARE(late.output, followed.output);
    }
};

QTEST_GUILESS_MAIN(DetachAttachTest)
#include "tst_detach_attach.moc"
