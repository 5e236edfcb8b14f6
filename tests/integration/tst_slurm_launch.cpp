// SPDX-License-Identifier: Apache-2.0
// launch.method = "slurm" against a real Slurm of three nodes on this machine.
#include <unistd.h>

#include <QStandardPaths>
#include <QtTest>
#include <memory>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

const QString kLocalSlurm = LOCKSTEP_SOURCE_DIR "/tests/support/local-slurm";
const QStringList kOnSlurm{
    "--set", "launch.method=slurm",    "--set", "cluster.num_processes=3",
    "--set", "cluster.transport=gloo", "--set", "cluster.job_addresses=[\"127.0.0.1:0\"]"};

bool installed(const QString& program) {
    return !QStandardPaths::findExecutable(program).isEmpty() ||
           QFile::exists("/usr/sbin/" + program);
}

/// Too long for the suite: part of ./dev check schedulers.
#define ONLY_IN_CHECK()                                         \
    do {                                                        \
        if (qEnvironmentVariableIsEmpty("LOCKSTEP_LONG_TESTS")) \
            QSKIP("part of ./dev check schedulers");            \
    } while (false)

QStringList set(const QString& assignment) {
    return {"--set", assignment};
}

}  // namespace

class SlurmLaunchTest : public QObject {
    Q_OBJECT
private slots:
    /// One Slurm for all tests: it ends when the file "done" comes, or after ten minutes.
    void initTestCase() {
        if (!installed("slurmctld") || !installed("slurmd") || !installed("munged"))
            QSKIP("Slurm is not installed (Debian: slurm-wlm)");
        if (::geteuid() != 0) QSKIP("a Slurm of one's own needs root");
        slurmPlace_.setEnvironment("LOCAL_SLURM_NAMELESS", "1");
        slurm_ = slurmPlace_.startProgram(
            kLocalSlurm,
            {"3", "sh", "-c",
             "echo \"$SLURM_CONF\" >new && mv new conf; i=0; "
             "while [ ! -e done ] && [ $i -lt 3000 ]; do sleep 0.2; i=$((i+1)); done"});
        QVERIFY2(waitUntil([this] { return slurmPlace_.exists("conf") || !slurm_->isRunning(); }) &&
                     slurmPlace_.exists("conf"),
                 slurm_->errors().constData());
    }
    void cleanupTestCase() {
        slurmPlace_.write("done", "");
        if (slurm_) QVERIFY(slurm_->waitForEnd().exitedWith(0));
    }

    void aSubmittedJobEndsWithTheResultOfALocalLaunch() {
        const auto place = workplace();
        const Ended ended = place->run(QStringList{"run", "job.toml", "--run-dir", "run"} +
                                       kOnSlurm + set("cluster.evaluator=true"));
        REQUIRE_EXIT(ended, 0);
        QVERIFY2(ended.errors.contains("waiting in Slurm's queue as job"),
                 ended.words().constData());
        QVERIFY2(ended.errors.contains("evaluator: checkpoint of step 98"),
                 ended.words().constData());
        QCOMPARE(place->stateHash("run"), localHash());
        QCOMPARE(QDir(place->path("run")).entryList({"*.key"}, QDir::Files), QStringList());
        QVERIFY(place->nothingRunsSoon());
    }

    void insideAnAllocationTheTasksAreAStepOfIt() {
        const auto place = workplace();
        const auto program = place->startProgram(
            "salloc", QStringList{"--quiet", "-n3", LOCKSTEP_BINARY_DIR "/bin/lockstepctl", "run",
                                  "job.toml", "--run-dir", "run"} +
                          kOnSlurm);
        REQUIRE_EXIT(program->waitForEnd(), 0);
        QVERIFY(!place->exists("run/slurm/submission.json"));
        QCOMPARE(place->stateHash("run"), localHash());
    }

    void aJobThatWaitsTellsWhyAndLeavesTheQueueOnInterrupt() {
        const auto place = workplace();
        const auto program = place->start(QStringList{"run", "job.toml", "--run-dir", "run"} +
                                          kOnSlurm + set("slurm.options=[\"--begin=now+1hour\"]"));
        QVERIFY2(
            waitUntil([&] { return program->errors().contains("its begin time has not come"); }),
            program->errors().constData());
        QVERIFY(program->errors().contains("(BeginTime), expected to start at 2"));
        QVERIFY(program->signal(SIGINT));
        REQUIRE_EXIT(program->waitForEnd(), 3);
        QVERIFY(queueIsEmptySoon(*place));
        QVERIFY(!place->exists("run"));
    }

    void whatSlurmRefusesIsToldInItsWords() {
        const auto place = workplace();
        const Ended ended = place->run(QStringList{"run", "job.toml", "--run-dir", "run"} +
                                       kOnSlurm + set("slurm.partition=moon"));
        REQUIRE_EXIT(ended, 2);
        QVERIFY2(errorsOf(ended).join(' ').contains("invalid partition specified"),
                 ended.words().constData());
        QVERIFY(!place->exists("run"));
    }

    void withoutSbatchThereIsASentence() {
        auto place = workplace();
        place->setEnvironment("PATH", "/nowhere");
        const Ended ended =
            place->run(QStringList{"run", "job.toml", "--run-dir", "run"} + kOnSlurm);
        REQUIRE_EXIT(ended, 2);
        QVERIFY2(errorsOf(ended).join(' ').contains("sbatch is not on the PATH"),
                 ended.words().constData());
        QVERIFY(!place->exists("run"));
    }

    void badDataIsToldAsOfALocalLaunch() {
        ONLY_IN_CHECK();
        const auto place = workplace();
        const Ended ended =
            place->run(QStringList{"run", "job.toml", "--run-dir", "run"} + kOnSlurm +
                       set("data.dataset=mnist") + set("data.directory=nowhere"));
        REQUIRE_EXIT(ended, 2);
        QVERIFY2(errorsOf(ended).join(' ').contains("nowhere"), ended.words().constData());
    }

    void aDetachedJobIsFoundAgainStoppedAndGoesOnToTheSameEnd() {
        ONLY_IN_CHECK();
        const auto place = workplace();
        place->write("job.toml", longerJob(40));
        REQUIRE_EXIT(
            place->run(QStringList{"run", "job.toml", "--run-dir", "run", "--detach"} + kOnSlurm),
            0);
        QVERIFY(place->firstCheckpointComes("run"));
        REQUIRE_EXIT(place->run({"stop", "run"}), 0);
        QCOMPARE(place->summary("run")["status"].toString(), QString("stopped"));
        QVERIFY(queueIsEmptySoon(*place));
        REQUIRE_EXIT(
            place->run(QStringList{"run", "job.toml", "--run-dir", "run", "--resume"} + kOnSlurm),
            0);
        REQUIRE_EXIT(place->run({"run", "job.toml", "--processes", "3", "--set",
                                 "cluster.transport=gloo", "--run-dir", "local"}),
                     0);
        QCOMPARE(place->stateHash("run"), place->stateHash("local"));
    }

    void aJobThatSomebodyCancelsIsToldSo() {
        ONLY_IN_CHECK();
        const auto place = workplace();
        place->write("job.toml", longerJob(4000));
        const auto program =
            place->start(QStringList{"run", "job.toml", "--run-dir", "run"} + kOnSlurm);
        QVERIFY(place->firstCheckpointComes("run"));
        const QString id = slurmId(*place);
        REQUIRE_EXIT(place->startProgram("scancel", {id})->waitForEnd(), 0);
        // Slurm asks the tasks to end before it ends them: they stop with a checkpoint.
        REQUIRE_EXIT(program->waitForEnd(), 3);
        QCOMPARE(place->summary("run")["status"].toString(), QString("stopped"));
        QVERIFY(place->nothingRunsSoon());
    }

    void killedTasksAreTheEndOfTheRunInWords() {
        ONLY_IN_CHECK();
        const auto place = workplace();
        place->write("job.toml", longerJob(4000));
        const auto program =
            place->start(QStringList{"run", "job.toml", "--run-dir", "run"} + kOnSlurm);
        QVERIFY(place->firstCheckpointComes("run"));
        const QString id = slurmId(*place);
        REQUIRE_EXIT(place->startProgram("scancel", {"--signal=KILL", id + ".0"})->waitForEnd(), 0);
        const Ended ended = program->waitForEnd();
        REQUIRE_EXIT(ended, 1);
        QVERIFY2(errorsOf(ended).join(' ').contains("Slurm job " + id), ended.words().constData());
        QVERIFY(place->nothingRunsSoon());
    }

    void aTiedJobGoesWithItsTerminal() {
        ONLY_IN_CHECK();
        const auto place = workplace();
        place->write("job.toml", longerJob(4000));
        const auto program =
            place->start(QStringList{"run", "job.toml", "--run-dir", "run"} + kOnSlurm);
        QVERIFY(place->firstCheckpointComes("run"));
        QVERIFY(program->signal(SIGTERM));
        REQUIRE_EXIT(program->waitForEnd(), 3);
        QVERIFY(queueIsEmptySoon(*place));
        QVERIFY(place->nothingRunsSoon());
    }

    void aJobThatSlurmPutsBackIntoTheQueueGoesOnFromItsCheckpoint() {
        ONLY_IN_CHECK();  // Slurm lets two minutes pass before it starts such a job again
        const auto place = workplace();
        place->write("job.toml", longerJob(150));
        const auto program = place->start(QStringList{"run", "job.toml", "--run-dir", "run"} +
                                          kOnSlurm + set("checkpoint.resume=auto"));
        QVERIFY(place->firstCheckpointComes("run"));
        REQUIRE_EXIT(place->startProgram("scontrol", {"requeue", slurmId(*place)})->waitForEnd(),
                     0);
        const Ended ended = program->waitForEnd(std::chrono::seconds(300));
        REQUIRE_EXIT(ended, 0);
        QVERIFY2(ended.errors.contains("put back into Slurm's queue"), ended.words().constData());
        QCOMPARE(place->summary("run")["steps"].toInt(), 150 * 116);
        QVERIFY(queueIsEmptySoon(*place));
    }

    void beforeItsTimeLimitTheRunStopsWithACheckpoint() {
        ONLY_IN_CHECK();
        const auto place = workplace();
        place->write("job.toml", longerJob(400000));
        const auto program =
            place->start(QStringList{"run", "job.toml", "--run-dir", "run"} + kOnSlurm +
                         set("slurm.time_limit=3") + set("slurm.stop_before_limit_seconds=60"));
        REQUIRE_EXIT(program->waitForEnd(std::chrono::seconds(240)), 3);
        QCOMPARE(place->summary("run")["status"].toString(), QString("stopped"));
        const QString latest = place->latest("run");
        QVERIFY(!latest.isEmpty());
        QVERIFY(place->nothingRunsSoon());
        // It goes on from there, for as long as it is let.
        const auto again =
            place->start(QStringList{"run", "job.toml", "--run-dir", "run", "--resume"} + kOnSlurm);
        QVERIFY(waitUntil([&] { return place->latest("run") != latest; }));
        QVERIFY(again->signal(SIGINT));
        REQUIRE_EXIT(again->waitForEnd(), 3);
    }

private:
    [[nodiscard]] static QString slurmId(const Workplace& place) {
        return QString::number(place.readJson("run/slurm/submission.json")["slurm_job_id"].toInt());
    }
    [[nodiscard]] std::unique_ptr<Workplace> workplace() const {
        auto place = std::make_unique<Workplace>();
        place->setEnvironment("SLURM_CONF", QString::fromUtf8(slurmPlace_.read("conf")).trimmed());
        return place;
    }
    [[nodiscard]] static QString localHash() {
        const Workplace place;
        const Ended ended = place.run({"run", "job.toml", "--processes", "3", "--set",
                                       "cluster.transport=gloo", "--run-dir", "run"});
        return ended.exitedWith(0) ? place.stateHash("run") : QString::fromUtf8(ended.words());
    }
    [[nodiscard]] static bool queueIsEmptySoon(const Workplace& place) {
        return waitUntil([&place] {
            const Ended ended = place.startProgram("squeue", {"--noheader"})->waitForEnd();
            return ended.exitedWith(0) && ended.output.trimmed().isEmpty();
        });
    }

    Workplace slurmPlace_;
    std::unique_ptr<Program> slurm_;
};

QTEST_GUILESS_MAIN(SlurmLaunchTest)
#include "tst_slurm_launch.moc"
