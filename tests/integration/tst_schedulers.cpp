// SPDX-License-Identifier: Apache-2.0
// Real schedulers start lockstep-worker with nothing but the job file.
#include <unistd.h>

#include <QStandardPaths>
#include <QtTest>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

const QString kWorker = LOCKSTEP_BINARY_DIR "/bin/lockstep-worker";
const QString kLocalSlurm = LOCKSTEP_SOURCE_DIR "/tests/support/local-slurm";
const QStringList kGlooJob{"job.toml", "--set", "cluster.transport=gloo"};

QString localHash() {
    const Workplace place;
    const Ended ended = place.run({"run", "job.toml", "--processes", "3", "--set",
                                   "cluster.transport=gloo", "--run-dir", "run"});
    return ended.exitedWith(0) ? place.stateHash("run") : QString::fromUtf8(ended.words());
}

bool installed(const QString& program) {
    return !QStandardPaths::findExecutable(program).isEmpty() ||
           QFile::exists("/usr/sbin/" + program);
}

QStringList asRoot(const QStringList& options) {
    return ::geteuid() == 0 ? options : QStringList();
}

}  // namespace

class SchedulersTest : public QObject {
    Q_OBJECT
private slots:
    void openMpiStartsThreeProcessesWithTheResultOfALocalLaunch() {
        if (!installed("mpirun")) QSKIP("mpirun is not installed (Debian: openmpi-bin)");
        const Workplace place;
        const QStringList mpirun = asRoot({"--allow-run-as-root"}) +
                                   QStringList{"--oversubscribe", "-n", "3", kWorker} + kGlooJob;
        const auto program = place.startProgram("mpirun", mpirun);
        REQUIRE_EXIT(program->waitForEnd(), 0);
        checkRun(place, "small-ompi-*");
    }

    void slurmStartsThreeTasksWithTheResultOfALocalLaunch_data() {
        QTest::addColumn<bool>("namesResolve");
        QTest::newRow("names resolve") << true;
        QTest::newRow("only Slurm knows its nodes") << false;
    }
    void slurmStartsThreeTasksWithTheResultOfALocalLaunch() {
        QFETCH(bool, namesResolve);
        if (!installed("slurmctld") || !installed("slurmd") || !installed("munged"))
            QSKIP("Slurm is not installed (Debian: slurm-wlm)");
        if (::geteuid() != 0) QSKIP("a Slurm of one's own needs root");
        Workplace place;
        if (!namesResolve) place.setEnvironment("LOCAL_SLURM_NAMELESS", "1");
        const auto program = place.startProgram(
            kLocalSlurm, QStringList{"3", "srun", "-N3", "-n3", kWorker} + kGlooJob);
        const Ended ended = program->waitForEnd();
        if (ended.exitedWith(77)) QSKIP(ended.errors.constData());
        REQUIRE_EXIT(ended, 0);
        checkRun(place, "small-slurm-*.0-0");
    }

private:
    /// The run of this start: its folder is named after it, its result is that of three processes
    /// that we launch ourselves, and no key and no process is left of it.
    static void checkRun(const Workplace& place, const QString& name) {
        const QStringList runs = QDir(place.path("runs")).entryList({name}, QDir::Dirs);
        QCOMPARE(runs.size(), 1);
        const QString run = "runs/" + runs.first();
        QCOMPARE(place.summary(run)["world_size"].toInt(), 3);
        QCOMPARE(place.stateHash(run), localHash());
        QCOMPARE(QDir(place.path(run)).entryList({"*.key"}, QDir::Files), QStringList());
        QVERIFY(place.nothingRunsSoon());
    }
};

QTEST_GUILESS_MAIN(SchedulersTest)
#include "tst_schedulers.moc"
