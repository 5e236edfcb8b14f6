// SPDX-License-Identifier: Apache-2.0
// launch.on_failure = "regroup": workers are killed at any moment, in the middle of an update among
// them, and the run goes on from the newest step that all have kept in memory, to the bits that it
// would have had. LOCKSTEP_REGROUPS sets how many seeds are played (30 in `./dev check campaigns`),
// LOCKSTEP_SEED plays one alone.
#include <fcntl.h>
#include <unistd.h>

#include <QRandomGenerator>
#include <QtTest>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

/// Its update takes most of a step, so that kills hit it; checkpoints come at epochs' ends only.
QByteArray wideJob(int steps) {
    QByteArray job = kSmallJob;
    job.replace("evaluator = false", "evaluator = false\ndevice = \"cpu\"");
    job.replace("validation_samples = 10000", "validation_samples = 200");
    job.replace("units = 32", "units = 512");
    job.replace("global_batch_size = 512", "global_batch_size = 8");
    job.replace("epochs = 1",
                "steps = " + QByteArray::number(steps) + "\nevaluate_every_steps = 700");
    job.replace("every_steps = 20", "every_steps = 450");
    return job + "[launch]\non_failure = \"regroup\"\n";
}
constexpr int kSteps = 4000;

/// What one seed does to one run.
struct Blow {
    int victim = 0;
    int delayMilliseconds = 0;
    bool gloo = false;
    int times = 1;
};
Blow blowOf(quint32 seed) {
    QRandomGenerator random(seed);
    Blow blow;
    blow.victim = static_cast<int>(random.bounded(2));
    blow.delayMilliseconds = static_cast<int>(random.bounded(900));
    blow.gloo = random.bounded(3) == 0;
    blow.times = 1 + static_cast<int>(random.bounded(2));
    return blow;
}
int seedCount() {
    const int wanted = qEnvironmentVariableIntValue("LOCKSTEP_REGROUPS");
    return wanted > 0 ? wanted : 3;
}

}  // namespace

class RegroupTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<Workplace> place_;
    QMap<bool, QString> undisturbed_;  ///< By transport: the state hash when nobody is killed.

    static QStringList job(const QString& run, bool gloo, const QStringList& more = {}) {
        return QStringList{
                   "run",         "job.toml",
                   "--run-dir",   run,
                   "--processes", "2",
                   "--set",       QString("cluster.transport=%1").arg(gloo ? "gloo" : "shm")} +
               more;
    }
    [[nodiscard]] QByteArray logOf(const QString& run, int process = 0) const {
        return place_->read(QString("%1/logs/process-%2.log").arg(run).arg(process));
    }
    /// Two workers that are not those of before.
    [[nodiscard]] QList<ProcessIdentity> workersAfter(const QString& run,
                                                      const QList<ProcessIdentity>& before) const {
        QList<ProcessIdentity> workers;
        const bool came = waitUntil([&] {
            workers = place_->processes(run, "worker");
            return workers.size() == 2 && (before.isEmpty() || (workers[0].pid != before[0].pid &&
                                                                workers[1].pid != before[1].pid));
        });
        return came ? workers : QList<ProcessIdentity>();
    }
    /// Where the lives after the first began, as process 0 has said it.
    [[nodiscard]] QList<int> keptSteps(const QString& run) const {
        QList<int> steps;
        static const QRegularExpression said("going on from step (\\d+), which all processes have");
        auto found = said.globalMatch(QString::fromUtf8(logOf(run)));
        while (found.hasNext())
            steps.append(found.next().captured(1).toInt());
        return steps;
    }
    /// The memory that the run's agent holds for a worker, by process.
    [[nodiscard]] QList<QString> keptMemory(const QString& run) const {
        const auto agents = place_->processes(run, "agent");
        QList<QString> found;
        if (agents.isEmpty()) return found;
        const QString folder = QString("/proc/%1/fd").arg(agents[0].pid);
        QMap<int, QString> byNumber;
        for (const QString& name : QDir(folder).entryList(QDir::System | QDir::Files))
            if (QFile::symLinkTarget(folder + "/" + name).contains("lockstep-kept-steps"))
                byNumber[name.toInt()] = folder + "/" + name;
        return byNumber.values();
    }
    /// Who holds it beside the agent: the process whose argument says so.
    [[nodiscard]] QList<pid_t> keepers() const {
        QList<pid_t> found;
        for (const pid_t pid : place_->leftRunning()) {
            QFile command(QString("/proc/%1/cmdline").arg(pid));
            if (command.open(QIODevice::ReadOnly) &&
                command.readAll().split('\0').contains("--keep"))
                found.append(pid);
        }
        return found;
    }
    /// Changes a byte in each page of what is kept there of weights and moments.
    static bool damage(const QString& memory) {
        constexpr off_t kPage = 4096;
        constexpr off_t kArrays = off_t{3} << 20;  // behind what is no array
        const int fd = ::open(qPrintable(memory), O_RDWR | O_CLOEXEC);
        if (fd < 0) return false;
        int changed = 0;
        for (off_t at = ::lseek(fd, kArrays, SEEK_DATA); at >= 0;
             at = ::lseek(fd, (at / kPage + 1) * kPage, SEEK_DATA)) {
            char byte = 0;
            if (::pread(fd, &byte, 1, at + 2) != 1) break;
            byte = static_cast<char>(byte ^ 1);
            if (::pwrite(fd, &byte, 1, at + 2) == 1) ++changed;
        }
        ::close(fd);
        return changed > 0;
    }

private slots:
    void initTestCase() {
        place_ = std::make_unique<Workplace>();
        place_->write("job.toml", wideJob(kSteps));
        for (const bool gloo : {false, true}) {
            const QString run = gloo ? "undisturbed-gloo" : "undisturbed-shm";
            REQUIRE_EXIT(place_->run(job(run, gloo)), 0);
            undisturbed_[gloo] = place_->stateHash(run);
            QVERIFY(!undisturbed_[gloo].isEmpty());
        }
        // Keeping steps changes no bit.
        REQUIRE_EXIT(place_->run(job("not-kept", false, {"--set", "launch.on_failure=restart"})),
                     0);
        QCOMPARE(place_->stateHash("not-kept"), undisturbed_[false]);
    }

    void aRunGoesOnFromTheStepInFlightWhoeverIsKilled_data() {
        QTest::addColumn<quint32>("seed");
        const int one = qEnvironmentVariableIntValue("LOCKSTEP_SEED");
        for (int seed = one > 0 ? one : 1; seed <= (one > 0 ? one : seedCount()); ++seed) {
            const Blow blow = blowOf(static_cast<quint32>(seed));
            QTest::addRow("seed %d: process %d, %d ms in, %s, %d times", seed, blow.victim,
                          blow.delayMilliseconds, blow.gloo ? "gloo" : "shm", blow.times)
                << static_cast<quint32>(seed);
        }
    }
    void aRunGoesOnFromTheStepInFlightWhoeverIsKilled() {
        QFETCH(const quint32, seed);
        const Blow blow = blowOf(seed);
        const QString run = QString("seed-%1").arg(seed);
        const auto program = place_->start(job(run, blow.gloo));
        QVERIFY(place_->firstCheckpointComes(run));
        QList<ProcessIdentity> workers;
        for (int time = 0; time < blow.times; ++time) {
            workers = workersAfter(run, workers);
            QCOMPARE(workers.size(), 2);
            // a pause: as long as the seed says; the second blow may hit a life that trains
            // nothing.
            QTest::qSleep(blow.delayMilliseconds);
            QVERIFY2(place_->summary(run).isEmpty(), "the run was over before the blow fell");
            QCOMPARE(::kill(workers[blow.victim].pid, SIGKILL), 0);
        }
        REQUIRE_EXIT(program->waitForEnd(), 0);
        const QJsonObject summary = place_->summary(run);
        QCOMPARE(summary["restarts"], QJsonValue(blow.times));
        QCOMPARE(summary["warnings"].toArray(), QJsonArray());
        // A life that the next blow ends at once may not come to say where it goes on.
        const QList<int> kept = keptSteps(run);
        QVERIFY(!kept.isEmpty() && kept.size() <= blow.times);
        for (const QJsonValue& failure : summary["failures"].toArray())
            QVERIFY2(kept.last() >= failure["step"].toInt(), "a completed step was lost");
        QCOMPARE(place_->stateHash(run), undisturbed_[blow.gloo]);
    }

    // The control: what is damaged is not gone on from, and that is said.
    void whatIsDamagedIsNotGoneOnFromAndTheDiskIs() {
        const auto program = place_->start(job("damaged", false));
        QVERIFY(place_->firstCheckpointComes("damaged"));
        const auto workers = workersAfter("damaged", {});
        const auto memory = keptMemory("damaged");
        QCOMPARE(memory.size(), 2);
        for (const ProcessIdentity& worker : workers)
            QCOMPARE(::kill(worker.pid, SIGSTOP), 0);
        QVERIFY(damage(memory[1]));
        QCOMPARE(::kill(workers[1].pid, SIGKILL), 0);
        QCOMPARE(::kill(workers[0].pid, SIGCONT), 0);
        REQUIRE_EXIT(program->waitForEnd(), 0);
        const QJsonArray warnings = place_->summary("damaged")["warnings"].toArray();
        QVERIFY(!warnings.isEmpty());
        static const QRegularExpression said(
            "no step that was kept in memory can be gone on from: process 1: what was kept of step "
            "\\d+ is damaged; the run goes on from its newest checkpoint");
        QVERIFY2(said.match(warnings[0].toString()).hasMatch(), qPrintable(warnings[0].toString()));
        QVERIFY(keptSteps("damaged").isEmpty());
        QCOMPARE(place_->stateHash("damaged"), undisturbed_[false]);
    }
    void theMemoryOutlivesItsAgent() {
        const auto program = place_->start(job("agent", false));
        QVERIFY(place_->firstCheckpointComes("agent"));
        const auto agents = place_->processes("agent", "agent");
        const auto workers = workersAfter("agent", {});
        QCOMPARE(::kill(agents.at(0).pid, SIGKILL), 0);  // the launcher starts another one
        REQUIRE_EXIT(program->waitForEnd(), 0);
        for (const ProcessIdentity& worker : workers)
            QVERIFY(!isRunning(worker));
        const QJsonObject summary = place_->summary("agent");
        QCOMPARE(summary["restarts"], QJsonValue(1));
        const QString warnings = QJsonDocument(summary["warnings"].toArray()).toJson();
        QVERIFY2(!warnings.contains("no step that was kept"), qPrintable(warnings));
        QCOMPARE(keptSteps("agent").size(), 1);
        QCOMPARE(place_->stateHash("agent"), undisturbed_[false]);
    }
    void theMemoryGoesWithItsAgentAndItsKeeper() {
        const auto program = place_->start(job("keeper", false));
        QVERIFY(place_->firstCheckpointComes("keeper"));
        const auto agents = place_->processes("keeper", "agent");
        const auto keeping = keepers();
        QCOMPARE(keeping.size(), 1);
        QCOMPARE(::kill(keeping[0], SIGKILL), 0);
        QCOMPARE(::kill(agents.at(0).pid, SIGKILL), 0);
        REQUIRE_EXIT(program->waitForEnd(), 0);
        const QString warnings =
            QJsonDocument(place_->summary("keeper")["warnings"].toArray()).toJson();
        QVERIFY2(warnings.contains("the agent that held them was lost"), qPrintable(warnings));
        QVERIFY(keptSteps("keeper").isEmpty());
        QCOMPARE(place_->stateHash("keeper"), undisturbed_[false]);
    }
    // Who cannot hear it is ended by force: nobody waits with the memory for another agent then.
    void theMemoryGoesWhereAUserEndsAnAgentByForce() {
        const auto program = place_->start(job("forced", false));
        QVERIFY(place_->firstCheckpointComes("forced"));
        QCOMPARE(keepers().size(), 1);
        const auto agents = place_->processes("forced", "agent");
        QCOMPARE(::kill(agents.at(0).pid, SIGSTOP), 0);
        REQUIRE_EXIT(place_->run({"stop", "forced", "--kill"}), 0);
        REQUIRE_EXIT(program->waitForEnd(), 3);
    }
    void cleanup() { QVERIFY2(place_->nothingRunsSoon(), "a process of the job is left running"); }
};

QTEST_GUILESS_MAIN(RegroupTest)
#include "tst_regroup.moc"
