// SPDX-License-Identifier: Apache-2.0
// A host of a launch over ssh is lost for good, and there is no spare: the run goes on with the
// processes that are left, to the bits of a run that was resumed with so many.
#include <QtTest>

#include "tests/integration/hosts_place.h"

using namespace lockstep::tests;

namespace {

constexpr int kEpochs = 60;  ///< Ten seconds: it must outlive what is done to it.
/// A launch is patient for two minutes with a host that may be rebooting.
constexpr std::chrono::seconds kPatience{240};

QByteArray addressOf(int host) {
    return kHostAddress.arg(host).toUtf8();
}

QByteArray job(const QList<int>& hosts, const QByteArray& launch) {
    QByteArray text = longerJob(kEpochs);
    text.replace("[checkpoint]\n", "[checkpoint]\nkeep = 1000\n");  // also that it goes on from
    return jobOnHosts(text, hosts, "lease_seconds = 3\n" + launch);
}

}  // namespace

class SshFewerTest : public QObject {
    Q_OBJECT

    /// The step of the checkpoint that the run has gone on from, with 2 of its 3 processes.
    static QString firstStep(const QByteArray& errors) {
        const QRegularExpression said(
            "from step (\\d+) on the run trains with cluster\\.num_processes = 2 \\(was 3\\)");
        return said.match(QString::fromUtf8(errors)).captured(1);
    }
    /// What a run with these hosts makes of that checkpoint alone.
    static QString resumedHash(const Workplace& place, const QString& step,
                               const QList<int>& hosts) {
        const QString copy = QString(
                                 "mkdir -p resumed/checkpoints && cp -r "
                                 "run/checkpoints/step-%1 resumed/checkpoints && "
                                 "echo step-%1 > resumed/checkpoints/LATEST")
                                 .arg(step);
        QProcess shell;
        shell.setWorkingDirectory(place.path("."));
        shell.start("sh", {"-c", copy});
        if (!shell.waitForFinished() || shell.exitCode() != 0) return "not copied";
        place.write("fewer.toml", job(hosts, ""));
        const Ended ended = place.run({"run", "fewer.toml", "--run-dir", "resumed", "--resume"});
        return ended.exitedWith(0) ? place.stateHash("resumed") : QString::fromUtf8(ended.errors);
    }

private slots:
    void initTestCase() {
        if (!insideHosts()) QSKIP(qPrintable(whyNoHosts()));
    }
    void cleanup() {
        if (!insideHosts()) return;
        for (int host = 1; host <= kHostCount; ++host)
            healHost(host);
        QVERIFY2(waitUntil([] { return workersOnAllHosts().isEmpty(); }, std::chrono::seconds(15)),
                 "a process of the run is left on a host");
    }

    void aRunGoesOnWithoutAHostThatStaysLost_data() {
        QTest::addColumn<int>("host");
        QTest::addColumn<QList<int>>("others");
        QTest::newRow("of another process") << 2 << QList<int>{1, 3};
        QTest::newRow("of process 0, and of the coordinator") << 1 << QList<int>{2, 3};
    }
    void aRunGoesOnWithoutAHostThatStaysLost() {
        QFETCH(const int, host);
        QFETCH(const QList<int>, others);
        const Workplace place;
        place.write("job.toml", job({1, 2, 3}, "max_restarts = 2\nleast_processes = 2\n"));
        const auto program = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY2(place.firstCheckpointComes("run"), program->errors().constData());
        cutOff(host);
        const Ended ended = program->waitForEnd(kPatience);
        REQUIRE_EXIT(ended, 0);
        QVERIFY(workersOn(host).isEmpty());
        const QByteArray said =
            "warning: the run goes on with 2 of 3 processes: " + addressOf(host) +
            ", with process " + QByteArray::number(host - 1) + ", cannot be reached";
        QVERIFY2(ended.errors.contains(said), ended.words());
        const QJsonObject summary = place.summary("run");
        QCOMPARE(summary["status"].toString(), "completed");
        QCOMPARE(summary["restarts"].toInt(), 1);
        QCOMPARE(summary["processes"].toInt(), 2);
        QCOMPARE(summary["world_size"].toInt(), 2);
        const QJsonArray left = summary["left_hosts"].toArray();
        QCOMPARE(left.size(), 1);
        QCOMPARE(left[0]["host"].toString(), kHostAddress.arg(host));
        QCOMPARE(left[0]["processes"].toArray(), QJsonArray{host - 1});
        QCOMPARE(left[0]["processes_left"].toInt(), 2);
        REQUIRE_EXIT(place.run({"verify", "run"}), 0);
        const QString step = firstStep(ended.errors);
        QVERIFY2(!step.isEmpty(), ended.words());
        QCOMPARE(place.stateHash("run"), resumedHash(place, step, others));
    }
    void withTooFewProcessesLeftTheRunEndsAndSaysSo() {
        const Workplace place;
        place.write("job.toml", job({1, 2, 3}, "max_restarts = 2\nleast_processes = 3\n"));
        const auto program = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY2(place.firstCheckpointComes("run"), program->errors().constData());
        cutOff(3);
        const Ended ended = program->waitForEnd(kPatience);
        REQUIRE_EXIT(ended, 1);
        QVERIFY2(ended.errors.contains("the run does not go on without 10.77.0.3: 2 processes "
                                       "would be left, and launch.least_processes is 3"),
                 ended.words());
    }
};

LOCKSTEP_HOSTS_TEST_MAIN(SshFewerTest)
#include "tst_ssh_fewer.moc"
