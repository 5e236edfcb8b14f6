// SPDX-License-Identifier: Apache-2.0
// A host of a launch over ssh is lost for good: a spare takes its place, whoever it was, and the
// end has the bits of an undisturbed run. What was cut off has ended before, and nothing of it is
// alive when the cut heals.
#include <QtTest>

#include "tests/integration/hosts_place.h"

using namespace lockstep::tests;

namespace {

constexpr int kLeaseSeconds = 3;
constexpr int kEpochs = 60;  ///< Ten seconds: it must outlive what is done to it.
constexpr int kSpare = 3;

QByteArray addressOf(int host) {
    return kHostAddress.arg(host).toUtf8();
}

pid_t only(const QList<pid_t>& processes) {
    return processes.size() == 1 ? processes.first() : 0;
}

}  // namespace

class SshSparesTest : public QObject {
    Q_OBJECT

private:
    static bool nothingIsLeft() {
        return waitUntil([] { return workersOnAllHosts().isEmpty(); }, std::chrono::seconds(15));
    }
    static QByteArray job(int restarts, int epochs = kEpochs,
                          const QByteArray& spares = "spares = [\"10.77.0.3\"]\n") {
        return jobOnHosts(longerJob(epochs), {1, 2},
                          "max_restarts = " + QByteArray::number(restarts) +
                              "\nlease_seconds = " + QByteArray::number(kLeaseSeconds) +
                              "\nspare_after_seconds = 1\n" + spares);
    }
    QString undisturbed_;

    /// Cuts a host off for good, and heals the cut once the spare runs in its place.
    static void replace(int host, Program& program) {
        cutOff(host);
        const auto isReplaced = [] { return !startedWith(kSpare, "--agent").isEmpty(); };
        QVERIFY2(waitUntil(isReplaced, std::chrono::seconds(90)), program.errors().constData());
        QVERIFY2(workersOn(host).isEmpty(), "what was cut off lives beside what replaces it");
        healHost(host);
    }
    void goesOn(const Workplace& place, const QString& run, Program& program, int host) const {
        const Ended ended = program.waitForEnd(std::chrono::seconds(150));
        REQUIRE_EXIT(ended, 0);
        QVERIFY(workersOn(host).isEmpty());
        const QByteArray said =
            "warning: " + addressOf(kSpare) + " takes the place of " + addressOf(host) +
            ", which was lost and not reached again: process " + QByteArray::number(host - 1);
        QVERIFY2(ended.errors.contains(said), ended.words());
        const QJsonObject summary = place.summary(run);
        QCOMPARE(summary["status"].toString(), "completed");
        QCOMPARE(summary["restarts"].toInt(), 1);
        const QJsonObject failure = summary["failures"].toArray().first().toObject();
        QCOMPARE(failure["host"].toString(), kHostAddress.arg(host));
        QCOMPARE(failure["process_id"].toInt(), host - 1);
        const QJsonArray replaced = summary["replaced_hosts"].toArray();
        QCOMPARE(replaced.size(), 1);
        QCOMPARE(replaced[0]["host"].toString(), kHostAddress.arg(host));
        QCOMPARE(replaced[0]["spare"].toString(), kHostAddress.arg(kSpare));
        QCOMPARE(replaced[0]["processes"].toArray(), QJsonArray{host - 1});
        QCOMPARE(place.stateHash(run), undisturbed_);
        QVERIFY(hasEveryStep(place, run, 2, kEpochs * 116));
        REQUIRE_EXIT(place.run({"verify", run}), 0);
    }
    /// What there is of runs on a host, each file with its size.
    static QByteArray listed(int host, const QString& pattern) {
        return onHost(host, "cd ~/.local/state/lockstep/runs && ls -ld --time-style=full-iso */" +
                                pattern + " 2>/dev/null; true")
            .output;
    }
    /// Host 1 is cut off; it comes back once the spare runs in its place, to what it has left.
    void goesOnFromTheCopy(const Workplace& place, Program& program) const {
        const auto isReplaced = [] { return !startedWith(kSpare, "--agent").isEmpty(); };
        QVERIFY2(waitUntil(isReplaced, std::chrono::seconds(90)), program.errors().constData());
        QVERIFY2(workersOn(1).isEmpty(), "what was cut off lives beside what replaces it");
        healHost(1);
        const QByteArray left = listed(1, "*") + listed(1, "checkpoints/*");
        QVERIFY(left.contains("checkpoints/LATEST"));
        goesOn(place, "own/run", program, 1);
        if (QTest::currentTestFailed()) return;
        QCOMPARE(listed(1, "*") + listed(1, "checkpoints/*"), left);
        const QRegularExpression said(
            "the run goes on from the copy that 10\\.77\\.0\\.2 has, in \\S+ on 10\\.77\\.0\\.3: "
            "from the checkpoint of step \\d+; (steps? \\d+ .*|no step that was heard of is "
            "lost), and the logs and event files of 10\\.77\\.0\\.1 stay there");
        QVERIFY2(said.match(QString::fromUtf8(program.errors())).hasMatch(),
                 program.errors().constData());
        const QJsonObject copies = place.summary("own/run")["checkpoint_copies"].toObject();
        QCOMPARE(copies["host"].toString(), "10.77.0.2");
        QCOMPARE(copies["newest_step"].toInt(), kEpochs * 116);
    }
    /// The run's folder lies on process 0's host alone.
    static void hideRuns(const Workplace& place) {
        QDir().mkdir(place.path("own"));
        for (const int host : {1, 2, kSpare})
            REQUIRE_EXIT(onHost(host, "mount -t tmpfs tmpfs " + place.path("own")), 0);
    }
    static void showRuns(const Workplace& place) {
        for (const int host : {1, 2, kSpare})
            onHost(host, "umount " + place.path("own") + "; rm -rf ~/.local/state/lockstep/runs/*");
    }

private slots:
    void initTestCase() {
        if (!insideHosts()) QSKIP(qPrintable(whyNoHosts()));
        const Workplace place;
        place.write("job.toml", job(0, kEpochs, ""));
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "run"}), 0);
        undisturbed_ = place.stateHash("run");
        QVERIFY(!undisturbed_.isEmpty());
    }
    void cleanup() {
        if (!insideHosts()) return;
        for (int host = 1; host <= kHostCount; ++host)
            healHost(host);
        QVERIFY2(nothingIsLeft(), "a process of the run is left on a host");
    }

    void aSpareTakesThePlaceOfALostHost_data() {
        QTest::addColumn<int>("host");
        QTest::newRow("of another process") << 2;
        QTest::newRow("of process 0, and hosts the coordinator") << 1;
    }
    void aSpareTakesThePlaceOfALostHost() {
        QFETCH(const int, host);
        const Workplace place;
        place.write("job.toml", job(2));
        const auto program = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY2(place.firstCheckpointComes("run"), program->errors().constData());
        QVERIFY2(workersOn(kSpare).isEmpty(), "a spare starts nothing");
        replace(host, *program);
        if (QTest::currentTestFailed()) return;
        goesOn(place, "run", *program, host);
    }
    void whatTheHostsDoNotShareGoesOnWhileProcessZerosHostIsThere() {
        const Workplace place;
        place.write("job.toml", job(2));
        hideRuns(place);
        if (QTest::currentTestFailed()) return;
        const auto program = place.start({"run", "job.toml", "--run-dir", "own/run"});
        // A spare is looked at beside the training: what it lacks is known before it is needed.
        const QByteArray lack = "spare 10.77.0.3 does not see the run's folder";
        const bool began = waitUntil([&] {
            return program->errors().contains("epoch 2") && program->errors().contains(lack);
        });
        if (began) replace(2, *program);
        if (began && !QTest::currentTestFailed()) goesOn(place, "own/run", *program, 2);
        const QByteArray said = program->errors();
        showRuns(place);
        QVERIFY2(began, said.constData());
    }
    void whatLayOnTheLostHostAloneIsNotBegunAnew() {
        const Workplace place;
        place.write("job.toml", job(2));
        hideRuns(place);
        if (QTest::currentTestFailed()) return;
        const auto program = place.start({"run", "job.toml", "--run-dir", "own/run"});
        const bool began = waitUntil([&] { return program->errors().contains("epoch 2"); });
        cutOff(1);
        const bool told = waitUntil(
            [&] {
                return program->errors().contains(
                    "no spare can take the place of 10.77.0.1 now: "
                    "spare 10.77.0.3: it does not see the run's "
                    "folder ");
            },
            std::chrono::seconds(90));
        const bool isStopped = program->signal(SIGINT);
        const Ended ended = program->waitForEnd(std::chrono::seconds(60));
        healHost(1);
        showRuns(place);
        QVERIFY(began);
        QVERIFY2(told && isStopped, ended.words());
        REQUIRE_EXIT(ended, 3);
    }
    void whatLayOnTheLostHostAloneGoesOnFromItsCopyOnASpare() {
        const Workplace place;
        QByteArray text = job(2);
        text.replace("[checkpoint]\n", "[checkpoint]\ncopies = 2\n");
        place.write("job.toml", text);
        hideRuns(place);
        if (QTest::currentTestFailed()) return;
        const auto program = place.start({"run", "job.toml", "--run-dir", "own/run"});
        const bool began = waitUntil([&] {
            return program->errors().contains("epoch 2") &&
                   !listed(2, "checkpoints/LATEST").isEmpty();
        });
        if (began) {
            cutOff(1);
            goesOnFromTheCopy(place, *program);
        }
        const QByteArray said = program->errors();
        showRuns(place);
        QVERIFY2(began, said.constData());
    }
    void aSpareThatCouldNotHelpIsNamedWhileTheRunTrains() {
        const Workplace place;
        place.write("job.toml", job(2, 150));
        cutOff(kSpare);
        const auto program = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY2(waitUntil([&] {
                     return program->errors().contains(
                         "spare 10.77.0.3 could not take the place of a host: ");
                 }),
                 program->errors().constData());
        REQUIRE_EXIT(program->waitForEnd(std::chrono::seconds(150)), 0);
    }
    void restartsOfProcessesAndOfHostsCountAlike() {
        const Workplace place;
        place.write("job.toml", job(2, 400, ""));
        const auto program = place.start({"run", "job.toml", "--run-dir", "run"});
        QVERIFY2(place.firstCheckpointComes("run"), program->errors().constData());
        int epochs = 0;
        for (const char* victim : {"--member", "--agent", "--member"}) {
            QVERIFY2(waitUntil([&] {
                         return program->errors().count(": loss ") > epochs + 1 &&
                                only(startedWith(2, victim)) > 0;
                     }),
                     program->errors().constData());
            ::kill(only(startedWith(2, victim)), SIGKILL);
            epochs = static_cast<int>(program->errors().count(": loss "));
        }
        const Ended ended = program->waitForEnd(std::chrono::seconds(60));
        REQUIRE_EXIT(ended, 1);
        QVERIFY2(ended.errors.contains("restart 2 of 2"), ended.words());
        const QJsonObject summary = place.summary("run");
        QCOMPARE(summary["restarts"].toInt(), 2);
        const QJsonArray failures = summary["failures"].toArray();
        QCOMPARE(failures.size(), 3);
        for (const QJsonValue& failure : failures)
            QCOMPARE(failure["process_id"].toInt(), 1);
    }
    void theDoctorExaminesSparesToo() {
        const Workplace place;
        place.write("job.toml", job(2));
        const Ended ended = place.run({"doctor", "job.toml", "--json", "doctor.json"});
        REQUIRE_EXIT(ended, 0);
        const QJsonArray hosts =
            QJsonDocument::fromJson(place.read("doctor.json"))["hosts"].toArray();
        QCOMPARE(hosts.size(), 3);
        QCOMPARE(hosts[2]["host"].toString(), kHostAddress.arg(kSpare));
        QCOMPARE(hosts[2]["processes"].toString(), "spare");
        cutOff(kSpare);
        const Ended without = place.run({"doctor", "job.toml"});
        REQUIRE_EXIT(without, 0);  // the job starts all the same
        QVERIFY2(without.output.contains("10.77.0.3"), without.words());
    }
};

LOCKSTEP_HOSTS_TEST_MAIN(SshSparesTest)
#include "tst_ssh_spares.moc"
