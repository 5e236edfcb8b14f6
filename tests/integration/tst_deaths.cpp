// SPDX-License-Identifier: Apache-2.0
// Any process of a running job is killed at any moment: the others are out within seconds, the
// cause has a name, nothing stays behind. LOCKSTEP_DEATHS sets how many seeds are played (40 in
// `./dev check`), LOCKSTEP_SEED plays one alone.
#include <QElapsedTimer>
#include <QRandomGenerator>
#include <QtTest>
#include <thread>

#include "tests/integration/toll.h"
#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

constexpr int kEpochs = 40;
constexpr int kWorkers = 3;
constexpr std::chrono::seconds kOutWithin{5};

enum class Moment { BeforeRegistration, Training, InACheckpoint };

/// What one seed does to one run.
struct Death {
    QString role;
    int processId = 0;
    Moment moment = Moment::Training;
    int delayMilliseconds = 0;  ///< After the moment has come.
    bool gloo = false;          ///< Over Gloo, where a death is noticed in another way.

    [[nodiscard]] QString when() const {
        return moment == Moment::BeforeRegistration ? "before registration"
               : moment == Moment::Training         ? "in training"
                                                    : "in a checkpoint";
    }
    [[nodiscard]] QString words() const {
        return QString("%1 %2 %3, %4 ms in, %5")
            .arg(role)
            .arg(processId)
            .arg(when())
            .arg(delayMilliseconds)
            .arg(gloo ? "gloo" : "shm");
    }
};

Death deathOf(quint32 seed) {
    QRandomGenerator random(seed);
    Death death;
    // One in four hits the evaluator, one in four the chief.
    const int victim = static_cast<int>(random.bounded(4));
    death.role = victim == 3 ? "evaluator" : "worker";
    death.processId = victim == 3 ? 0 : victim;
    death.moment = static_cast<Moment>(random.bounded(3));
    death.delayMilliseconds = random.bounded(death.moment == Moment::Training ? 120 : 3);
    death.gloo = random.bounded(2) == 1;
    return death;
}

int seedCount() {
    const int wanted = qEnvironmentVariableIntValue("LOCKSTEP_DEATHS");
    return wanted > 0 ? wanted : 4;
}

}  // namespace

class DeathsTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<Workplace> place_;
    QMap<bool, QString> undisturbed_;  ///< By transport: the state hash when nobody dies.

    static QStringList job(const QString& runDir, bool gloo) {
        return {"run",         "job.toml",
                "--run-dir",   runDir,
                "--processes", QString::number(kWorkers),
                "--set",       QString("cluster.transport=%1").arg(gloo ? "gloo" : "shm")};
    }
    [[nodiscard]] bool isWritingACheckpoint(const QString& run) const {
        return !QDir(place_->path(run + "/checkpoints"))
                    .entryList({".tmp-*"}, QDir::Dirs | QDir::Hidden)
                    .isEmpty();
    }
    [[nodiscard]] static bool comesSoon(const std::function<bool()>& moment) {
        const auto deadline = std::chrono::steady_clock::now() + kProgramTimeout;
        while (!moment()) {
            if (std::chrono::steady_clock::now() > deadline) return false;
            // a pause: as short as may be, since a checkpoint is written within milliseconds
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
        return true;
    }
    [[nodiscard]] bool momentComes(const QString& run, const Death& death) const {
        switch (death.moment) {
            case Moment::BeforeRegistration:
                return comesSoon([&] { return identityOf(run, death).has_value(); });
            case Moment::Training:
                return place_->firstCheckpointComes(run);
            case Moment::InACheckpoint:
                return comesSoon([&] { return isWritingACheckpoint(run); });
        }
        return false;
    }
    [[nodiscard]] std::optional<ProcessIdentity> identityOf(const QString& run,
                                                            const Death& death) const {
        const auto all = place_->processes(run, death.role);
        if (all.size() <= death.processId) return std::nullopt;
        return all[death.processId];
    }
    void checkTheRunFailed(const Ended& ended, const QString& run, const Death& death) const {
        REQUIRE_EXIT(ended, 1);
        const QStringList errors = errorsOf(ended);
        QVERIFY2(errors.size() == 1, ended.words());
        const QString named =
            QString("^process %1 \\([^)]+\\): .*was killed by signal 9 \\(SIGKILL\\)")
                .arg(death.processId);
        QVERIFY2(QRegularExpression(named).match(errors[0]).hasMatch(), qPrintable(errors[0]));
        QVERIFY2(!ended.words().contains("SIGPIPE"), ended.words());
        for (int id = 0; id < kWorkers; ++id)
            QVERIFY(!place_->read(QString("%1/logs/process-%2.log").arg(run).arg(id))
                         .contains("SIGPIPE"));
        const QJsonArray failures = place_->summary(run)["failures"].toArray();
        QCOMPARE(failures.size(), 1);
        QCOMPARE(failures[0].toObject()["process_id"], QJsonValue(death.processId));
    }

private slots:
    void initTestCase() {
        place_ = std::make_unique<Workplace>();
        place_->write("job.toml",
                      longerJob(kEpochs).replace("evaluator = false", "evaluator = true"));
        for (const bool gloo : {false, true}) {
            const QString run = gloo ? "undisturbed-gloo" : "undisturbed-shm";
            REQUIRE_EXIT(place_->run(job(run, gloo)), 0);
            undisturbed_[gloo] = place_->stateHash(run);
            QVERIFY(!undisturbed_[gloo].isEmpty());
        }
    }

    void everyDeathIsNamedAndNothingStaysBehind_data() {
        QTest::addColumn<quint32>("seed");
        const int one = qEnvironmentVariableIntValue("LOCKSTEP_SEED");
        for (int seed = one > 0 ? one : 1; seed <= (one > 0 ? one : seedCount()); ++seed)
            QTest::addRow("seed %d: %s", seed,
                          qPrintable(deathOf(static_cast<quint32>(seed)).words()))
                << static_cast<quint32>(seed);
    }
    void everyDeathIsNamedAndNothingStaysBehind() {
        QFETCH(const quint32, seed);
        const Death death = deathOf(seed);
        const QString runDir = QString("seed-%1").arg(seed);
        const auto run = place_->start(job(runDir, death.gloo));
        QVERIFY(momentComes(runDir, death));
        QTest::qSleep(death.delayMilliseconds);  // a pause: as long as the seed says
        const auto victim = identityOf(runDir, death);
        QVERIFY(victim);
        const auto workers = place_->processes(runDir, "worker");
        Toll toll(death.role + ", " + death.when());
        QCOMPARE(::kill(victim->pid, SIGKILL), 0);
        QElapsedTimer since;
        since.start();

        if (death.role == "evaluator") {
            const Ended ended = run->waitForEnd();
            REQUIRE_EXIT(ended, 0);
            QCOMPARE(place_->stateHash(runDir), undisturbed_[death.gloo]);
            return;
        }
        for (const ProcessIdentity& worker : workers)
            if (!waitUntil([&] { return !isRunning(worker); },
                           kOutWithin - std::chrono::milliseconds(since.elapsed())))
                ++toll.left;
        toll.seconds = static_cast<double>(since.elapsed()) / 1000;
        QVERIFY2(toll.left == 0, "a worker outlives another one's death by more than five seconds");
        toll.unnamed = true;
        const Ended ended = run->waitForEnd();
        checkTheRunFailed(ended, runDir, death);
        if (QTest::currentTestFailed()) return;
        toll.unnamed = false;
        QVERIFY2(place_->nothingRunsSoon(), "a process of the job is left running");
        if (!place_->exists(runDir + "/checkpoints/LATEST")) return;
        const Ended resumed = place_->run(job(runDir, death.gloo) + QStringList{"--resume"});
        REQUIRE_EXIT(resumed, 0);
        QCOMPARE(place_->stateHash(runDir), undisturbed_[death.gloo]);
    }
    void cleanup() { QVERIFY2(place_->nothingRunsSoon(), "a process of the job is left running"); }
};

QTEST_GUILESS_MAIN(DeathsTest)
#include "tst_deaths.moc"
