// SPDX-License-Identifier: Apache-2.0
// Faults that are made on purpose in a running job: each lands, is named, and is trained beyond.
#include <QtTest>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

constexpr int kEpochs = 50;  ///< A drill is ordered behind the second checkpoint.
constexpr std::chrono::seconds kPatience{120};

QStringList jobIn(const QString& runDir, const QStringList& settings) {
    QStringList all{"run", "job.toml", "--processes", "2", "--run-dir", runDir};
    for (const QString& setting : settings)
        all << "--set" << setting;
    return all;
}

QJsonObject jsonIn(const Ended& ended) {
    return QJsonDocument::fromJson(ended.output).object();
}

/// The run has two checkpoints, the first of them committed at step 50.
bool trainsOn(const Workplace& place, const QString& run) {
    return waitUntil([&] { return place.latest(run).mid(5).toInt() >= 100; });
}

}  // namespace

class DrillsTest : public QObject {
    Q_OBJECT

private:
    Workplace place_;
    QString undisturbed_;

    /// What the drill came to, told by lockstepctl; the run is waited for.
    QJsonObject drillIn(const QString& run, const QStringList& settings,
                        const QStringList& arguments) {
        const auto started = place_.start(jobIn(run, settings));
        if (!trainsOn(place_, run)) return {};
        const Ended drilled =
            place_.start(QStringList{"drill", run} + arguments + QStringList{"--yes", "--json"})
                ->waitForEnd(kPatience);
        const Ended ended = started->waitForEnd(kPatience);
        if (!ended.exitedWith(0)) qWarning("the run: %s", ended.words().constData());
        if (!drilled.exitedWith(0)) qWarning("the drill: %s", drilled.words().constData());
        return jsonIn(drilled);
    }

private slots:
    void initTestCase() {
        place_.write("job.toml", longerJob(kEpochs));
        REQUIRE_EXIT(place_.run(jobIn("undisturbed", {})), 0);
        undisturbed_ = place_.stateHash("undisturbed");
        QVERIFY(!undisturbed_.isEmpty());
        QCOMPARE(place_.summary("undisturbed")["drills"], QJsonValue(QJsonArray()));
    }
    void cleanup() { QVERIFY2(place_.nothingRunsSoon(), "a process of the job is left running"); }

    void aFaultIsNamedAndTheRunEndsAsIfItHadNotBeen_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("process");
        QTest::addColumn<double>("seconds");
        QTest::addColumn<int>("restarts");
        QTest::addColumn<bool>("isNamed");
        QTest::newRow("kill") << "kill" << 1 << 0.0 << 1 << true;
        QTest::newRow("kill of the chief") << "kill" << 0 << 0.0 << 1 << true;
        QTest::newRow("stop") << "stop" << 1 << 0.0 << 1 << true;
        QTest::newRow("stop for a second") << "stop" << 1 << 1.0 << 0 << false;
        QTest::newRow("stuck") << "stuck" << 1 << 0.0 << 1 << true;
        QTest::newRow("stuck for a second") << "stuck" << 1 << 1.0 << 0 << false;
        QTest::newRow("slow") << "slow" << 1 << 1.0 << 0 << false;
        QTest::newRow("nan") << "nan" << 1 << 0.0 << 1 << true;
        QTest::newRow("bit-flip") << "bit-flip" << 1 << 0.0 << 1 << true;
        QTest::newRow("torn-checkpoint") << "torn-checkpoint" << 0 << 0.0 << 1 << true;
    }

    void aFaultIsNamedAndTheRunEndsAsIfItHadNotBeen() {
        QFETCH(const QString, kind);
        QFETCH(const int, process);
        QFETCH(const double, seconds);
        QFETCH(const int, restarts);
        QFETCH(const bool, isNamed);
        const QString run = QString(QTest::currentDataTag()).replace(' ', '-');
        QStringList arguments{kind, "--process", QString::number(process)};
        if (seconds > 0) arguments << "--seconds" << QString::number(seconds);
        const QJsonObject drill =
            drillIn(run,
                    {"launch.max_restarts=1", "launch.on_stuck=restart",
                     "launch.stuck_grace_seconds=1", "cluster.heartbeat_timeout_seconds=4"},
                    arguments);
        const QByteArray words = QJsonDocument(drill).toJson();
        QCOMPARE(drill["counted"], QJsonValue(true));
        QVERIFY2(drill["landed_after_seconds"].toDouble(99) < 10, words);
        QVERIFY2(drill["recovered_after_seconds"].isDouble(), words);
        QVERIFY2(drill["recovered_step"].toInt() > drill["landed_step"].toInt(), words);
        if (isNamed) {
            QVERIFY2(drill["detected_after_seconds"].isDouble(), words);
            QVERIFY2(drill["named_process"].toBool() && drill["named_kind"].toBool(), words);
        }
        const QJsonObject summary = place_.summary(run);
        QCOMPARE(summary["restarts"], QJsonValue(restarts));
        QCOMPARE(summary["drills"].toArray(), QJsonArray{drill});
        QCOMPARE(place_.stateHash(run), undisturbed_);
        if (restarts == 0) return;
        const QString cause = summary["failures"][0]["cause"].toString();
        QVERIFY2(cause.endsWith(" (in a drill)"), qPrintable(cause));
    }

    void aFlippedBitIsFoundBeforeTheNextUpdateAndItsTensorNamed() {
        const QJsonObject drill =
            drillIn("flipped", {"launch.max_restarts=1"}, {"bit-flip", "--process", "1"});
        const QString named = drill["detected"].toString();
        const int step = drill["landed_step"].toInt();
        QVERIFY2(named.contains(QString("weights changed between the updates of steps %1 and %2")
                                    .arg(step)
                                    .arg(step + 1)),
                 qPrintable(named));
        QVERIFY2(named.contains(QRegularExpression("tensors? '[^']+'.*in replica 1's share")),
                 qPrintable(named));
        QCOMPARE(place_.stateHash("flipped"), undisturbed_);
    }

    void connectionsThatAreCutEndTheGenerationAndComeAgain() {
        REQUIRE_EXIT(place_.run(jobIn("over-gloo", {"cluster.transport=gloo"})), 0);
        const QJsonObject drill = drillIn(
            "cut", {"launch.max_restarts=1", "cluster.transport=gloo"}, {"cut", "--process", "1"});
        const QByteArray words = QJsonDocument(drill).toJson();
        QVERIFY2(drill["counted"].toBool() && drill["recovered_after_seconds"].isDouble(), words);
        QCOMPARE(place_.stateHash("cut"), place_.stateHash("over-gloo"));
    }

    void aDiskThatTakesNothingForAWhileCostsCheckpointsAlone() {
        const QJsonObject drill = drillIn("full", {}, {"disk-full", "--seconds", "1"});
        const QByteArray words = QJsonDocument(drill).toJson();
        QVERIFY2(drill["counted"].toBool() && drill["named_kind"].toBool(), words);
        QVERIFY2(drill["recovered_after_seconds"].isDouble(), words);
        QCOMPARE(place_.stateHash("full"), undisturbed_);
    }

    /// Process 0 has a checkpoint under way when its loss becomes NaN: process 1, which that stops,
    /// is not to speak first.
    void whoseLossIsNotANumberIsNamedThoughItsDiskStandsStill() {
        Workplace place;
        place.write("job.toml", longerJob(400));
        place.write("held", "");
        place.setEnvironment("LD_PRELOAD", LOCKSTEP_BINARY_DIR "/tests/libheld_syncs.so");
        place.setEnvironment("LOCKSTEP_TEST_HELD_SYNCS", place.path("held"));
        const auto started = place.start(
            jobIn("run", {"checkpoint.every_steps=2000", "training.terminate_on_nan=true"}));
        const QDir checkpoints(place.path("run/checkpoints"));
        QVERIFY(waitUntil([&] {
            return !checkpoints.entryList({".tmp-*"}, QDir::AllEntries | QDir::Hidden).isEmpty();
        }));
        const Ended drilled =
            place.start({"drill", "run", "nan", "--process", "0", "--yes", "--json"})
                ->waitForEnd(kPatience);
        QVERIFY2(jsonIn(drilled)["counted"].toBool(), drilled.words());
        const Ended ended = started->waitForEnd(kPatience);
        QVERIFY2(ended.exitedWith(1), ended.words());
        const QJsonValue failure = place.summary("run")["failures"][0];
        const QByteArray words = QJsonDocument(failure.toObject()).toJson();
        QVERIFY2(failure["process_id"] == QJsonValue(0), words);
        QVERIFY2(failure["cause"].toString().contains("nan"), words);
    }

    void aDiskThatHangsIsToldOfWithinSecondsAndTrainingGoesOn() {
        Workplace place;
        place.write("job.toml", longerJob(100000));
        place.setEnvironment("LD_PRELOAD", LOCKSTEP_BINARY_DIR "/tests/libheld_syncs.so");
        place.setEnvironment("LOCKSTEP_TEST_HELD_SYNCS", place.path("held"));
        const auto started = place.start(jobIn("hung", {"checkpoint.every_steps=100"}));
        QVERIFY(place.firstCheckpointComes("hung"));
        place.write("held", "");
        const auto says = [&started](const char* words) {
            return waitUntil([&] { return started->errors().contains(words); },
                             std::chrono::seconds(40));  // the first one has 30
        };
        QVERIFY(says("s: its disk is slow or hangs"));
        // Two are copied before one is left out: that the next is, too, shows that steps go on.
        const QRegularExpression skipped("no checkpoint of step [0-9]+: [^\n]* skipped: the disk");
        QVERIFY(waitUntil(
            [&] {
                auto all =
                    skipped.globalMatch(QString::fromUtf8(place.read("hung/logs/process-0"
                                                                     ".log")));
                int count = 0;
                for (; all.hasNext(); ++count)
                    all.next();
                return count > 3;
            },
            std::chrono::seconds(20)));
        QVERIFY(QFile::remove(place.path("held")));
        QVERIFY(says("left out while the disk was busy with an older one"));
        REQUIRE_EXIT(place.run({"stop", "hung"}), 0);
        REQUIRE_EXIT(started->waitForEnd(kPatience), 3);
    }

    void aSlowProcessIsNamedWithItsPriceUntilItKeepsUpAgain() {
        const auto started = place_.start(jobIn("slow-long", {"training.epochs=100000"}));
        QVERIFY(trainsOn(place_, "slow-long"));
        const Ended drilled = place_
                                  .start({"drill", "slow-long", "slow", "--process", "1",
                                          "--seconds", "20", "--yes", "--json"})
                                  ->waitForEnd(kPatience);
        REQUIRE_EXIT(drilled, 0);
        const QJsonObject drill = jsonIn(drilled);
        const QByteArray words = drilled.words();
        QVERIFY2(drill["named_process"].toBool() && drill["named_kind"].toBool(), words);
        QVERIFY2(drill["detected_after_seconds"].toDouble(99) < 20, words);
        QVERIFY2(drill["detected"].toString().contains(QRegularExpression(
                     "^process 1 \\(.*\\) costs the others \\d\\d %: its backward pass takes")),
                 words);
        const auto keepsUp = [&] {
            const Ended said = place_.run({"logs", "slow-long"});
            return said.output.contains("keeps up again at step");
        };
        QVERIFY(waitUntil(keepsUp));
        REQUIRE_EXIT(place_.run({"stop", "slow-long"}), 0);
        const Ended ended = started->waitForEnd(kPatience);
        REQUIRE_EXIT(ended, 3);
        const QString shown = QString::fromUtf8(ended.errors);
        QVERIFY2(shown.contains("warning: process 1"), qPrintable(shown));
        QVERIFY2(shown.contains("keeps up again at step"), qPrintable(shown));
        QVERIFY2(ended.output.contains("  slow        process 1"), ended.words());
        const QJsonArray stragglers = place_.summary("slow-long")["stragglers"].toArray();
        QCOMPARE(stragglers.size(), 1);
        QCOMPARE(stragglers[0]["process_id"], QJsonValue(1));
        QCOMPARE(stragglers[0]["phase"], QJsonValue("backward"));
        QCOMPARE(stragglers[0]["caught_up"], QJsonValue(true));
    }

    void whatCannotBeDoneIsRefusedAndSaid() {
        // Longer than all questions take, and stopped behind the last.
        const auto started = place_.start(jobIn("refused", {"training.epochs=2000"}));
        QVERIFY(trainsOn(place_, "refused"));
        const auto refused = [&](const QStringList& arguments, int status,
                                 const QString& sentence) {
            const Ended ended = place_.run(QStringList{"drill", "refused"} + arguments);
            QVERIFY2(ended.exitedWith(status), ended.words());
            QVERIFY2(errorsOf(ended).join(' ').contains(sentence), ended.words());
        };
        refused({"kill"}, 2, "nobody is here to agree to it");
        refused({"kill", "--process", "2", "--yes"}, 2, "there is no process 2");
        refused({"cut", "--process", "1", "--yes"}, 2, "replicas of a host share memory");
        refused({"torn-checkpoint", "--yes"}, 2, "launch.max_restarts is 0");
        refused({"disk-full", "--process", "1", "--seconds", "1", "--yes"}, 2,
                "process 0 commits the checkpoints");
        refused({"nan", "--seconds", "3", "--yes"}, 2, "nan has no length");
        REQUIRE_EXIT(place_.run({"stop", "refused"}), 0);
        REQUIRE_EXIT(started->waitForEnd(kPatience), 3);
        refused({"kill", "--yes"}, 2, "the run is over");
        QCOMPARE(place_.summary("refused")["drills"], QJsonValue(QJsonArray()));
    }

    void aDrillThatEndsTheRunIsSaidInItsErrorAndInTheListOfRuns() {
        const auto started = place_.start(jobIn("ended", {}));
        QVERIFY(trainsOn(place_, "ended"));
        const Ended drilled = place_.start({"drill", "ended", "kill", "--process", "1", "--yes"})
                                  ->waitForEnd(kPatience);
        REQUIRE_EXIT(drilled, 0);
        QVERIFY2(drilled.output.contains("landed after "), drilled.words());
        QVERIFY2(drilled.output.contains("(the right process, named for what it is)"),
                 drilled.words());
        QVERIFY2(drilled.output.contains("not recovered: the run ended first (failed)"),
                 drilled.words());
        const Ended ended = started->waitForEnd(kPatience);
        REQUIRE_EXIT(ended, 1);
        QVERIFY2(errorsOf(ended).join(' ').endsWith("signal 9 (SIGKILL) (in a drill)"),
                 ended.words());
        QVERIFY2(!ended.errors.contains("out of memory"), ended.words());  // it is known why
        const Ended runs = place_.run({"runs", place_.path("")});
        QVERIFY2(runs.output.contains("failed, drill"), runs.words());
    }
};

QTEST_GUILESS_MAIN(DrillsTest)
#include "tst_drills.moc"
