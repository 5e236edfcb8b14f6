// SPDX-License-Identifier: Apache-2.0
// Jobs that run a user's own program: its cluster, its reports, how it ends and is ended.
#include <signal.h>

#include <QLocalSocket>
#include <QStandardPaths>
#include <QtTest>

#include "tests/integration/workplace.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace {

/// A job of two processes that run train.sh beside it.
QByteArray jobRunningScript(const QByteArray& launch) {
    return "[job]\nname = \"own\"\n[cluster]\njob_addresses = [\"127.0.0.1:0\", \"127.0.0.1:0\"]\n"
           "[launch]\ncommand = [\"sh\", \"train.sh\"]\n" +
           launch + "\n";
}

struct Job {
    Workplace place;
    explicit Job(const QByteArray& script, const QByteArray& launch = "") {
        place.setEnvironment("XDG_STATE_HOME", place.path("runtime/state"));
        place.write("train.sh", script);
        place.write("job.toml", jobRunningScript(launch));
    }
    [[nodiscard]] Ended run() const { return place.run({"run", "job.toml", "--run-dir", "run"}); }
    [[nodiscard]] std::unique_ptr<Program> start() const {
        return place.start({"run", "job.toml", "--run-dir", "run"});
    }
    [[nodiscard]] QByteArray log(int process) const {
        return place.read(QString("run/logs/process-%1.log").arg(process));
    }
    [[nodiscard]] bool bothSay(const QByteArray& word) const {
        return waitUntil([&] { return log(0).contains(word) && log(1).contains(word); });
    }
    [[nodiscard]] QByteArray csv() const {
        return place.run({"export", "run", "--format", "csv"}).output;
    }
};

/// A value that a process printed as NAME=value.
QByteArray printed(const QByteArray& log, const QByteArray& name) {
    for (const QByteArray& line : log.split('\n'))
        if (line.startsWith(name + "=")) return line.mid(name.size() + 1);
    return {};
}

/// What a program sends that writes its lines without Python.
void sendTo(const QByteArray& socket, const QByteArrayList& lines) {
    QLocalSocket program;
    program.connectToServer(socket);
    if (!program.waitForConnected()) qFatal("cannot connect to %s", socket.constData());
    program.write(lines.join('\n') + '\n');
    while (program.bytesToWrite() > 0 && program.waitForBytesWritten())
        ;
}

QByteArray stepsReport(const char* losses) {
    return QByteArray(R"({"version":1,"steps":{"first_step":1,"loss":[)") + losses + "]}}";
}

constexpr const char* kEpoch = R"({"version":1,"epoch":{"epoch":1,"train_loss":0.25}})";

}  // namespace

class OwnProgramTest : public QObject {
    Q_OBJECT
private slots:
    void everyProcessFindsItsClusterInTheVariables() {
        const Job job("env | sort; pwd; cat; echo extra $EXTRA; ls /proc/self/fd | wc -l",
                      "environment = [\"EXTRA=a b\"]");
        const Ended ended = job.run();
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(printed(job.log(0), "RANK"), "0");
        QCOMPARE(printed(job.log(1), "RANK"), "1");
        QCOMPARE(printed(job.log(1), "LOCAL_RANK"), "1");
        QCOMPARE(printed(job.log(1), "WORLD_SIZE"), "2");
        const QByteArray addresses = printed(job.log(0), "KERAS_DISTRIBUTION_JOB_ADDRESSES");
        QCOMPARE(printed(job.log(1), "KERAS_DISTRIBUTION_JOB_ADDRESSES"), addresses);
        QVERIFY(!addresses.contains(":0,") && !addresses.endsWith(":0"));
        QCOMPARE("127.0.0.1:" + printed(job.log(1), "MASTER_PORT"), addresses.split(',')[0]);
        QVERIFY(job.log(1).contains("extra a b\n"));
        QVERIFY(job.log(1).contains(QFileInfo(job.place.path(".")).canonicalFilePath().toUtf8()));
        const QJsonObject summary = job.place.summary("run");
        QCOMPARE(summary["status"].toString(), "completed");
        QCOMPARE(summary["world_size"].toInt(), 2);
        QCOMPARE(summary["backend"].toString(), "program");
        QVERIFY(job.place.nothingRunsSoon());
        QVERIFY2(QDir(job.place.path("runtime/lockstep"))
                     .isEmpty(QDir::AllEntries | QDir::NoDotAndDotDot),
                 "a folder of reports was left behind");
    }

    void theAddressOfProcess0IsTheProgramsOwn() {
        // The coordinator would hold the port if it listened there.
        const Job job(
            "python3 - <<'E' || exit 1\nimport os, socket\ns = socket.socket()\n"
            "s.bind((os.environ['MASTER_ADDR'], int(os.environ['MASTER_PORT']) + "
            "int(os.environ['RANK'])))\nE");
        if (QStandardPaths::findExecutable("python3").isEmpty()) QSKIP("needs python3");
        REQUIRE_EXIT(job.run(), 0);
    }

    void reportsAppearInTheHistoryOfBothProcesses() {
        const Job job("echo AT=$LOCKSTEP_REPORT_ENDPOINT; while [ ! -e go ]; do sleep 0.02; done");
        const auto run = job.start();
        QVERIFY(job.bothSay("AT=/"));
        const QByteArray figure =
            R"({"version":1,"scalars":{"name":"f1","steps":[2],"values":[0.75]}})";
        sendTo(printed(job.log(0), "AT"), {stepsReport("1,2,3"), "nonsense", kEpoch});
        sendTo(printed(job.log(1), "AT"), {stepsReport("10,11,12"), kEpoch, figure});
        QVERIFY(waitUntil([&] {
            const QByteArray csv = job.csv();
            return csv.contains(",3,0,0,train/loss,3\n") &&
                   csv.contains(",3,1,1,train/loss,12\n") &&
                   csv.contains(",0,,train/loss,0.25\n") && csv.contains(",2,1,1,f1,0.75\n");
        }));
        QVERIFY(!job.csv().contains("accuracy"));  // nobody reported one
        QVERIFY(waitUntil([&] { return job.log(0).contains("cannot be used"); }));
        QVERIFY(!job.log(1).contains("cannot be used"));
        job.place.write("go", "");
        REQUIRE_EXIT(run->waitForEnd(), 0);
        const QJsonObject summary = job.place.summary("run");
        QCOMPARE(summary["steps"].toInt(), 3);
        QCOMPARE(summary["epochs"].toInt(), 1);
        QCOMPARE(summary["train_loss"].toDouble(), 0.25);
    }

    void whatAProgramLogsIsInTheHistoryOfTheProcessThatWritesIt() {
        const Job job(
            "exec 3>log-$RANK.csv; echo step,value >&3; echo 7,$RANK >&3; "
            "while [ ! -e go ]; do sleep 0.02; done; echo 8,$RANK >&3");
        const auto run = job.start();
        QVERIFY(waitUntil([&] {
            const QByteArray csv = job.csv();
            return csv.contains(",7,0,0,value,0\n") && csv.contains(",7,1,1,value,1\n");
        }));
        job.place.write("go", "");
        REQUIRE_EXIT(run->waitForEnd(), 0);
        const QByteArray csv = job.csv();
        QVERIFY2(csv.contains(",8,0,0,value,0\n") && csv.contains(",8,1,1,value,1\n"),
                 csv.constData());
        QCOMPARE(csv.count(",value,"), 4);
    }

    void theCauseOfAFailureIsWhatTheProgramSaid() {
        const Job job(
            "if [ $RANK = 1 ]; then echo 'Traceback (most recent call last):' >&2; "
            "echo '  File x' >&2; echo 'ValueError: no such luck' >&2; exit 3; fi; "
            "sleep 60");
        const Ended ended = job.run();
        REQUIRE_EXIT(ended, 1);
        const QStringList errors = errorsOf(ended);
        QCOMPARE(errors.size(), 1);
        QVERIFY2(errors[0].startsWith("process 1 (") &&
                     errors[0].endsWith("exited with status 3: ValueError: no such luck"),
                 qPrintable(errors[0]));
        QVERIFY(job.place.nothingRunsSoon());
    }

    void theTerminalShowsWhatEveryProcessPrintsAndItsErrorsAreNotLockstepsOwn() {
        const Job job(
            "printf '\\033[32mhello\\033[0m from %s\\n' $RANK; "
            "for i in 1 2 3; do printf '\\r%s/3' $i; done; echo; "
            "echo 'WARNING:root:hm' >&2; echo 'error: mine' >&2; "
            "if [ $RANK = 0 ]; then touch said; exit 0; fi; "
            "while [ ! -e said ]; do sleep 0.02; done; exit 1");
        const Ended ended = job.run();
        REQUIRE_EXIT(ended, 1);
        QCOMPARE(errorsOf(ended).size(), 1);
        for (const QByteArray rank : {"[0] ", "[1] "}) {
            for (const QByteArray line : {"3/3", "WARNING:root:hm", "error: mine"})
                QVERIFY2(("\n" + ended.output).contains("\n" + rank + line + "\n"),
                         ended.words().constData());
        }
        QVERIFY(ended.output.contains("[1] hello from 1\n"));
        QVERIFY(!ended.output.contains("1/3") && !ended.output.contains('\r'));
    }

    void logsPrintsWhatARunsProcessesWrote() {
        const Job job("echo hello from $RANK; echo 'WARNING:root:hm'; echo \"error: $RANK\"");
        REQUIRE_EXIT(job.run(), 0);
        const auto logs = [&](const QStringList& more) {
            const Ended ended = job.place.run(QStringList{"logs", "run"} + more);
            return ended.exitedWith(0) ? ended.output : ended.words();
        };
        QVERIFY2(logs({}).contains("[1] hello from 1\n") && logs({}).contains("[0] error: 0\n"),
                 logs({}).constData());
        QCOMPARE(logs({"--process", "1", "--level", "warning"}),
                 QByteArray("[1] WARNING:root:hm\n[1] error: 1\n"));
        QCOMPARE(logs({"--follow", "--process", "0", "--level", "error"}),
                 QByteArray("[0] error: 0\n"));
        const Ended wrong = job.place.run({"logs", "run", "--process", "chief"});
        REQUIRE_EXIT(wrong, 2);
        QVERIFY(errorsOf(wrong).join(' ').contains("chief is no process"));
    }

    void logsFollowsARunningProgramToItsEnd() {
        const Job job("echo one; while [ ! -e go ]; do sleep 0.02; done; echo two");
        const auto run = job.start();
        QVERIFY(job.bothSay("one"));
        const auto now = job.place.run({"logs", "run", "--process", "0"});
        REQUIRE_EXIT(now, 0);
        QVERIFY2(now.output.endsWith("[0] one\n"), now.words().constData());
        const auto following = job.place.start({"logs", "run", "--follow"});
        job.place.write("go", "");
        const Ended ended = following->waitForEnd();
        REQUIRE_EXIT(ended, 0);
        QVERIFY2(ended.output.contains("[1] one\n") && ended.output.contains("[1] two\n"),
                 ended.words().constData());
        REQUIRE_EXIT(run->waitForEnd(), 0);
    }

    void aSignalIsNamedAndEndsTheOthers() {
        const Job job("if [ $RANK = 1 ]; then kill -SEGV $$; fi; sleep 60 & wait");
        const Ended ended = job.run();
        REQUIRE_EXIT(ended, 1);
        QVERIFY2(errorsOf(ended).join(' ').contains("was killed by signal 11 (SIGSEGV)"),
                 ended.words().constData());
        QVERIFY(job.place.nothingRunsSoon());
    }

    void aStatusThatMeansSomethingElseToLockstepIsAFailureAllTheSame() {
        REQUIRE_EXIT(Job("exit 2").run(), 1);
    }

    void aProgramThatIsNotThereIsBadInput() {
        Job job("");
        job.place.write("job.toml", "[launch]\ncommand = [\"no-such-program\"]\n");
        const Ended ended = job.run();
        REQUIRE_EXIT(ended, 2);
        QVERIFY(errorsOf(ended).join(' ').contains("there is no program no-such-program"));
        QVERIFY(!remedyOf(ended).isEmpty());
    }

    void aStopReachesTheProgramWhichMayTakeItsLeave() {
        const Job job("trap 'echo SAVED; exit 0' TERM; echo READY; while :; do sleep 0.05; done");
        const auto run = job.start();
        QVERIFY(job.bothSay("READY"));
        QVERIFY(run->signal(SIGINT));
        REQUIRE_EXIT(run->waitForEnd(), 3);
        QVERIFY(job.log(0).contains("SAVED") && job.log(1).contains("SAVED"));
        QCOMPARE(job.place.summary("run")["status"].toString(), "stopped");
        QVERIFY(job.place.nothingRunsSoon());
    }

    void aSigtermToASupervisorAloneStopsTheJobInOrderAndItGoesOn_data() {
        QTest::addColumn<int>("told");
        QTest::newRow("process 0's") << 0;
        QTest::newRow("another's") << 1;
    }
    void aSigtermToASupervisorAloneStopsTheJobInOrderAndItGoesOn() {
        QFETCH(const int, told);
        // It saves for longer than it takes until a stop is told again.
        const Job job(
            "kept=$LOCKSTEP_RUN_DIR/checkpoints; mkdir -p $kept; "
            "if [ -e $kept/$RANK ]; then echo WENT ON; exit 0; fi; "
            "trap 'echo TOLD; told=1' TERM; echo READY; "
            "while [ -z \"$told\" ]; do sleep 0.05; done; "
            "n=0; while [ $n -lt 60 ]; do sleep 0.05; n=$((n+1)); done; touch $kept/$RANK");
        const auto run = job.start();
        QVERIFY(job.bothSay("READY"));
        const auto supervisors = job.place.processes("run", "worker");
        QCOMPARE(supervisors.size(), 2);
        QCOMPARE(::kill(supervisors[told].pid, SIGTERM), 0);
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 3);
        QVERIFY2(
            QRegularExpression(QString("warning: process %1 \\(.* was told to end \\(SIGTERM\\): "
                                       "the job stops in order")
                                   .arg(told))
                .match(ended.errors)
                .hasMatch(),
            ended.words().constData());
        QCOMPARE(job.log(0).count("TOLD"), 1);
        QCOMPARE(job.log(1).count("TOLD"), 1);
        QCOMPARE(job.place.summary("run")["status"].toString(), "stopped");
        QVERIFY(job.place.nothingRunsSoon());
        REQUIRE_EXIT(job.place.run({"run", "job.toml", "--run-dir", "run", "--resume"}), 0);
        QVERIFY(job.log(0).contains("WENT ON") && job.log(1).contains("WENT ON"));
    }

    void aSigtermToAllThatAProcessHasStartedIsAStopToo() {
        const Job job("sleep 300 & echo READY; wait");  // which ends by the signal itself
        const auto run = job.start();
        QVERIFY(job.bothSay("READY"));
        const auto supervisors = job.place.processes("run", "worker");
        QCOMPARE(supervisors.size(), 2);
        QCOMPARE(::kill(-supervisors[1].pid, SIGTERM), 0);
        REQUIRE_EXIT(run->waitForEnd(), 3);
        QVERIFY(job.place.nothingRunsSoon());
    }

    void aProgramThatSignalsItsOwnGroupStopsNobodyElse() {
        const Job job("trap '' TERM; if [ $RANK = 1 ]; then kill 0; else sleep 1; fi; echo WELL");
        REQUIRE_EXIT(job.run(), 0);
        QVERIFY(job.log(0).contains("WELL") && job.log(1).contains("WELL"));
        QCOMPARE(job.place.summary("run")["status"].toString(), "completed");
    }

    void whatDoesNotHeedASupervisorsSigtermIsEndedAfterItsGrace() {
        const Job job("trap 'echo DEAF' TERM; echo READY; while :; do sleep 0.05; done");
        const auto run = job.start();
        QVERIFY(job.bothSay("READY"));
        const auto supervisors = job.place.processes("run", "worker");
        QCOMPARE(supervisors.size(), 2);
        QCOMPARE(::kill(supervisors[1].pid, SIGTERM), 0);
        REQUIRE_EXIT(run->waitForEnd(), 3);
        QVERIFY(job.log(0).contains("DEAF") && job.log(1).contains("DEAF"));
        QVERIFY(job.place.nothingRunsSoon());
    }

    void process0MayEndLongBeforeTheOthers() {
        const Job job("if [ $RANK = 1 ]; then sleep 2; echo LAST; fi");
        REQUIRE_EXIT(job.run(), 0);
        QVERIFY(job.log(1).contains("LAST"));
    }

    void aRestartStartsTheProgramAgainAndSaysSo() {
        const Job job(
            "echo AGAIN=$LOCKSTEP_RESTART_COUNT; "
            "if [ $LOCKSTEP_RESTART_COUNT$RANK = 01 ]; then exit 1; fi; "
            "if [ $LOCKSTEP_RESTART_COUNT = 0 ]; then sleep 60; fi",
            "max_restarts = 1");
        REQUIRE_EXIT(job.run(), 0);
        QVERIFY(job.log(0).contains("AGAIN=1"));
        const QJsonObject summary = job.place.summary("run");
        QCOMPARE(summary["restarts"].toInt(), 1);
        QCOMPARE(summary["failures"].toArray().size(), 1);
    }

    void whatAFileRunsIsShownBeforeItsFirstLaunchAndWhenItHasChanged() {
        const Job job("true", "environment = [\"A=1\"]");
        const Ended first = job.run();
        REQUIRE_EXIT(first, 0);
        QVERIFY2(first.errors.contains("runs on every host: sh train.sh\n") &&
                     first.errors.contains("with the variables A=1\n"),
                 first.words().constData());
        const auto again = [&](const QString& setting) {
            return job.place.run({"run", "job.toml", "--set", setting});
        };
        QVERIFY(!again("job.name=other").errors.contains("runs on every host"));
        QVERIFY(again(R"(launch.command=["sh", "-c", "true"])").errors.contains("sh -c true\n"));
        // Opening or checking it runs nothing and asks nothing.
        const Job other("touch touched");
        const Ended lint = other.place.run({"lint", "job.toml"});
        REQUIRE_EXIT(lint, 0);
        QVERIFY(!other.place.exists("touched") && !other.place.exists("runtime/state"));
    }

    void nothingOfTheProgramOutlivesItsSupervisor() {
        const Job job("sleep 300 & sleep 300 & echo READY; wait");
        const auto run = job.start();
        QVERIFY(job.bothSay("READY"));
        const auto workers = job.place.processes("run", "worker");
        QCOMPARE(workers.size(), 2);
        QCOMPARE(::kill(workers[1].pid, SIGKILL), 0);
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 1);
        QVERIFY(errorsOf(ended).join(' ').contains("process 1"));
        QVERIFY(job.place.nothingRunsSoon());
    }

    void nothingOfTheProgramOutlivesItsAgent() {
        const Job job("sleep 300 & (sleep 300; true) & echo READY; wait");
        const auto run = job.start();
        QVERIFY(job.bothSay("READY"));
        const auto agents = job.place.processes("run", "agent");
        QCOMPARE(agents.size(), 1);
        QCOMPARE(::kill(agents[0].pid, SIGKILL), 0);
        QVERIFY2(waitUntil(
                     [&] {
                         return job.place.leftRunning() == QList<pid_t>{run->pid()} ||
                                job.place.leftRunning().isEmpty();
                     },
                     std::chrono::seconds(10)),
                 "what the program had started lives on");
    }

    void whatAPythonProgramReportsIsInTableAndEventFilesUnderItsNames() {
        if (QStandardPaths::findExecutable("python3").isEmpty()) QSKIP("needs python3");
        const Job job("exec python3 train.py");
        job.place.write("train.py", R"(
import os
import lockstep_report
rank = int(os.environ["RANK"])
report = lockstep_report.connect()
for step in range(1, 6):
    report.step(loss=step, f1=step / 10 + rank, comment="not a figure")
    report.log({"lr, warm": 0.5})
report.step(1, 2, 3, 4, 5, 6, any="thing")
)");
        REQUIRE_EXIT(job.run(), 0);
        const QByteArray csv = job.csv();
        QCOMPARE(csv.count(",train/loss,"), 2 * 6);
        QCOMPARE(csv.count(",f1,"), 2 * 5);
        QVERIFY(csv.contains(",3,1,1,f1,1.3\n"));
        QCOMPARE(csv.count(",\"lr, warm\",0.5\n"), 2 * 5);
        QVERIFY2(job.log(0).count("lockstep_report: comment is of type str, no number") == 1,
                 job.log(0).constData());
        QByteArray events;
        QDirIterator files(job.place.path("run"), {"events.out.tfevents.*"}, QDir::Files,
                           QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QFile::ReadOnly));
            if (file.fileName().contains("replica-1")) events += file.readAll();
        }
        QVERIFY(events.contains("lr, warm"));
        QCOMPARE(job.place.summary("run")["steps"].toInt(), 5);
    }

    void theExampleRunsAndShowsItself() {
        if (QStandardPaths::findExecutable("python3").isEmpty()) QSKIP("needs python3");
        const Workplace place;
        const QString folder = LOCKSTEP_SOURCE_DIR "/resources/examples/own-program/";
        const Ended ended =
            place.run({"run", folder + "own-program.toml", "--run-dir", place.path("run")});
        REQUIRE_EXIT(ended, 0);
        const QByteArray csv = place.run({"export", "run", "--format", "csv"}).output;
        QCOMPARE(csv.count("train/loss"), 400);
        QCOMPARE(csv.count(",slope,"), 400);
        QCOMPARE(place.summary("run")["steps"].toInt(), 200);
    }
};

QTEST_GUILESS_MAIN(OwnProgramTest)
#include "tst_own_program.moc"
