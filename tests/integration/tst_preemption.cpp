// SPDX-License-Identifier: Apache-2.0
// A scheduler takes processes back: SIGTERM to any of them ends the job with a checkpoint that all
// agree on, and a resume goes on from it as if nothing had been.
#include <QtTest>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

constexpr int kEpochs = 40;

QStringList jobIn(const QString& runDir) {
    return {"run", "job.toml", "--processes", "3", "--run-dir", runDir};
}

}  // namespace

class PreemptionTest : public QObject {
    Q_OBJECT

private:
    Workplace place_;

    [[nodiscard]] QList<pid_t> processesOf(const QString& run, const QStringList& roles) const {
        QList<pid_t> found;
        for (const QString& role : roles)
            for (const auto& process : place_.processes(run, role))
                found.append(process.pid);
        return found;
    }

private slots:
    void initTestCase() {
        QByteArray job = longerJob(kEpochs);
        job.replace("evaluator = false", "evaluator = true");
        place_.write("job.toml", job);
        REQUIRE_EXIT(place_.run(jobIn("undisturbed")), 0);
    }
    void cleanup() { QVERIFY2(place_.nothingRunsSoon(), "a process of the job is left running"); }

    void whoeverIsToldToEndTheJobStopsWithACheckpoint_data() {
        QTest::addColumn<QStringList>("roles");
        QTest::addColumn<int>("most");
        QTest::addColumn<QByteArray>("named");
        QTest::newRow("the chief") << QStringList{"worker"} << 1 << QByteArray("process 0 (");
        QTest::newRow("all workers") << QStringList{"worker"} << 3 << QByteArray("process ");
        QTest::newRow("the evaluator")
            << QStringList{"evaluator"} << 1 << QByteArray("the evaluator (");
        QTest::newRow("all processes of the host")
            << QStringList{"agent", "worker", "evaluator"} << 5 << QByteArray();
    }
    void whoeverIsToldToEndTheJobStopsWithACheckpoint() {
        QFETCH(const QStringList, roles);
        QFETCH(const int, most);
        QFETCH(const QByteArray, named);
        const QString runDir = QString("run-%1").arg(QTest::currentDataTag()).replace(' ', '-');
        const auto run = place_.start(jobIn(runDir));
        QVERIFY2(place_.firstCheckpointComes(runDir), run->errors().constData());
        const QList<pid_t> told = processesOf(runDir, roles).mid(0, most);
        QCOMPARE(told.size(), most);
        for (const pid_t pid : told)
            QCOMPARE(::kill(pid, SIGTERM), 0);
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 3);
        if (!named.isEmpty())
            QVERIFY2(QRegularExpression(
                         "warning: " + QRegularExpression::escape(named) +
                         ".* was told to end \\(SIGTERM\\): the job stops with a checkpoint")
                         .match(ended.errors)
                         .hasMatch(),
                     ended.words());
        QVERIFY2(ended.errors.count("was told to end") <= 1, ended.words());
        QCOMPARE(place_.latest(runDir),
                 QString("step-%1").arg(place_.summary(runDir)["steps"].toInt()));
        REQUIRE_EXIT(place_.run(jobIn(runDir) + QStringList{"--resume"}), 0);
        QCOMPARE(place_.stateHash(runDir), place_.stateHash("undisturbed"));
    }
};

QTEST_GUILESS_MAIN(PreemptionTest)
#include "tst_preemption.moc"
