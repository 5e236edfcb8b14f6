// SPDX-License-Identifier: Apache-2.0
// Programs started in odd places: descriptors closed, files limited, folders gone, names too long,
// no display.
#include <unistd.h>

#include <QtTest>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

const QString kBin = LOCKSTEP_BINARY_DIR "/bin/";

}  // namespace

class OddStartsTest : public QObject {
    Q_OBJECT

    /// A line of shell, in the folder of the place; `ctl` stands for the terminal program.
    static Ended shell(const Workplace& place, QString line) {
        line.replace("ctl ", kBin + "lockstepctl ");
        return place.startProgram("/bin/bash", {"-c", line})->waitForEnd();
    }
    static void refuses(const Ended& ended, const QString& expected) {
        REQUIRE_EXIT(ended, 2);
        const QStringList errors = errorsOf(ended);
        QVERIFY2(errors.size() == 1, ended.words());
        QVERIFY2(QRegularExpression(expected).match(errors[0]).hasMatch(), ended.words());
        QVERIFY2(!remedyOf(ended).isEmpty(), ended.words());
    }

private slots:
    void aSummaryFileThatCannotBeWrittenIsSaidAtOnce_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("expected");
        const QString longName(300, 'x');
        QTest::newRow("below a file") << "job.toml/out.json"
                                      << "Not a directory";
        QTest::newRow("a folder") << "."
                                  << "it is a folder";
        QTest::newRow("a long name") << longName << "File name too long";
        QTest::newRow("below a long name") << longName + "/out.json"
                                           << "File name too long";
        QTest::newRow("links in a circle") << "circle/out.json"
                                           << "symbolic links";
        QTest::newRow("a link to itself") << "circle"
                                          << "symbolic links";
        QTest::newRow("a folder that is not there") << "nowhere/out.json"
                                                    << "No such file";
        if (::geteuid() != 0)
            QTest::newRow("a closed folder") << "closed/out.json"
                                             << "Permission denied";
    }
    void aSummaryFileThatCannotBeWrittenIsSaidAtOnce() {
        QFETCH(QString, file);
        QFETCH(QString, expected);
        const Workplace place;
        QVERIFY(QDir().mkdir(place.path("closed")));
        QFile::setPermissions(place.path("closed"), {});
        QVERIFY(QFile::link("circle", place.path("circle")));
        const Ended ended = place.run({"run", "job.toml", "--run-dir", "out", "--json", file});
        QFile::setPermissions(place.path("closed"), QFile::ReadOwner | QFile::ExeOwner);
        refuses(ended, "--json.*" + expected);
        QVERIFY(!place.exists("out"));
    }
    void namesAndLinksThatLeadNowhereAreSaid() {
        const Workplace place;
        const QString longName(300, 'x');
        QVERIFY(QFile::link("circle", place.path("circle")));
        for (const QString& name : {longName, QString("circle"), QString("circle/run")}) {
            refuses(place.run({"run", "job.toml", "--run-dir", name}), ".");
            refuses(place.run({"run", name}), ".");
            refuses(place.run({"attach", name}), ".");
            refuses(place.run({"stop", name}), ".");
            refuses(place.run({"export", name, "--format", "csv"}), ".");
            refuses(place.run({"evaluate", name}), ".");
        }
    }
    void aWorkingFolderThatIsGoneIsSaid() {
        const Workplace place;
        const QString gone = "mkdir gone && cd gone && rmdir ../gone && ";
        refuses(shell(place, gone + "ctl run job.toml"), "job.toml");
        refuses(shell(place, gone + "ctl run " + place.path("job.toml") + " --run-dir out"),
                "out is relative to the working directory");
        refuses(shell(place, gone + "ctl run " + place.path("job.toml") + " --json out.json"),
                "--json.*working directory");
        refuses(shell(place, gone + "ctl attach small"), "small");
        // What needs no working directory goes on.
        REQUIRE_EXIT(shell(place, gone + "ctl run " + place.path("job.toml")), 0);
        REQUIRE_EXIT(shell(place, gone + "ctl runs"), 0);
        QCOMPARE(QDir(place.path("runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 1);
    }

    void aJobRunsWithoutStandardInputOutputOrErrors_data() {
        QTest::addColumn<QString>("closed");
        for (const char* closed : {"0<&-", "1>&-", "2>&-", "0<&- 2>&-", "0<&- 1>&- 2>&-"})
            QTest::newRow(closed) << QString(closed);
    }
    void aJobRunsWithoutStandardInputOutputOrErrors() {
        QFETCH(QString, closed);
        const Workplace place;
        const Ended ended = shell(place, "ctl run job.toml --processes 2 --run-dir out " + closed);
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(place.summary("out")["status"], QJsonValue("completed"));
    }
    void aTiedRunEndsAsItWouldWhenNobodyReadsWhatItPrints() {
        const Workplace place;
        // Both are pipes whose readers have gone before the first word.
        const Ended ended = shell(place,
                                  "set -o pipefail; (sleep 0.2; ctl run job.toml --run-dir out "
                                  "2> >(exec true)) | true");
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(place.summary("out")["status"], QJsonValue("completed"));
        QVERIFY(place.nothingRunsSoon());
    }
    void aLimitOfFileSizesIsSaid() {
        const Workplace place;
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "before"}), 0);  // fills the cache
        const auto run = place.startProgram(
            "/bin/bash",
            {"-c", "ulimit -f 16; exec " + kBin + "lockstepctl run job.toml --run-dir out"});
        QVERIFY(waitUntil([&] { return run->errors().contains("there is no room"); }));
        QVERIFY(run->signal(SIGINT));  // nobody makes room
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 1);
        QCOMPARE(errorsOf(ended).size(), 1);
        QVERIFY2(errorsOf(ended)[0].contains("File too large"), ended.words());
        QVERIFY(place.nothingRunsSoon());
    }

    void everyProgramTellsWhatItIsWithoutADisplay_data() {
        QTest::addColumn<QString>("program");
        QTest::newRow("lockstepctl") << "lockstepctl";
        QTest::newRow("lockstep-worker") << "lockstep-worker";
        if (QFile::exists(kBin + "lockstep")) QTest::newRow("lockstep") << "lockstep";
    }
    void everyProgramTellsWhatItIsWithoutADisplay() {
        QFETCH(QString, program);
        Workplace place;
        for (const char* display : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
            place.setEnvironment(display, "");
        const Ended help = place.startProgram(kBin + program, {"--help"})->waitForEnd();
        REQUIRE_EXIT(help, 0);
        QVERIFY2(help.output.contains("Usage: "), help.words());
        const Ended version = place.startProgram(kBin + program, {"--version"})->waitForEnd();
        REQUIRE_EXIT(version, 0);
        const QRegularExpression line("^" + program + " \\d+\\.\\d+\\.\\d+\n$");
        QVERIFY2(line.match(QString::fromUtf8(version.output)).hasMatch(), version.words());
        QVERIFY2(version.errors.isEmpty(), version.words());
    }
    void withoutADisplayTheWindowSaysSo() {
        if (!QFile::exists(kBin + "lockstep")) QSKIP("the desktop is not built");
        Workplace place;
        for (const char* display : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
            place.setEnvironment(display, "");
        const Ended ended = place.startProgram(kBin + "lockstep", {"job.toml"})->waitForEnd();
        refuses(ended, "no display");
        QVERIFY2(remedyOf(ended).join(' ').contains("lockstepctl"), ended.words());
    }
    void aTerminalOf100ColumnsShowsRateAndTimeLeft() {
        const Workplace place;
        place.write("job.toml", longerJob(60));
        const Ended ended =
            shell(place, "script -qefc 'stty cols 100; ctl run job.toml --run-dir out' /dev/null");
        REQUIRE_EXIT(ended, 0);
        QByteArray widest;
        bool isShown = false;
        for (const QByteArray& line : ended.output.split('\r')) {
            const QByteArray text = line.mid(line.startsWith("\033[K") ? 3 : 0);
            isShown = isShown || (text.contains("samples/s  ") && text.contains(" left"));
            if (text.startsWith("training") && text.size() > widest.size()) widest = text;
        }
        QVERIFY2(isShown && widest.size() < 100, widest);
    }
    void aCommandThatIsMistypedIsNamed() {
        const Workplace place;
        refuses(place.run({"lnit", "job.toml"}),
                "^there is no command lnit; did you mean lint\\?$");
        refuses(place.run({"evalute"}), "did you mean evaluate\\?$");
        refuses(place.run({"xyzzy"}), "^there is no command xyzzy$");
    }
};

QTEST_GUILESS_MAIN(OddStartsTest)
#include "tst_odd_starts.moc"
