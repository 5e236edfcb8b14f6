// SPDX-License-Identifier: Apache-2.0
// Hosts that share no disk: a second one keeps the run's checkpoints and journal, and whoever has
// lost the first one's goes on from there, to the bits of an undisturbed run.
#include <QtTest>

#include "tests/integration/hosts_place.h"

using namespace lockstep::tests;

namespace {

constexpr int kEpochs = 30;  ///< Some seconds: it must outlive what is done to it.
const QString kRuns = "~/.local/state/lockstep/runs";

/// A workplace whose folder `own` is another one on the two hosts.
class ApartPlace : public Workplace {
public:
    ApartPlace() {
        QDir().mkdir(path("own"));
        for (const int host : {1, 2})
            isApart_ &= onHost(host, "mount -t tmpfs tmpfs " + path("own")).status == 0;
    }
    ~ApartPlace() {
        for (const int host : {1, 2}) {
            onHost(host, "umount " + path("own"));
            onHost(host, QString("rm -rf %1/*; umount %1; true").arg(kRuns));
        }
    }
    [[nodiscard]] bool isApart() const { return isApart_; }

private:
    bool isApart_ = true;
};

/// What a host's only run names as its newest checkpoint: "step-50".
QString latestOn(int host) {
    return QString::fromUtf8(
        onHost(host, QString("cat %1/*/checkpoints/LATEST").arg(kRuns)).output.split('\n')[0]);
}

}  // namespace

class SshCopiesTest : public QObject {
    Q_OBJECT

    QString undisturbed_;

    static QByteArray job(const QByteArray& copies = "copies = 2\n",
                          const QByteArray& launch = "lease_seconds = 3\n") {
        QByteArray text = longerJob(kEpochs);
        text.replace("[checkpoint]\n", "[checkpoint]\n" + copies);
        return jobOnHosts(text, {1, 2}, launch);
    }
    static bool nothingIsLeft() {
        return waitUntil([] { return workersOnAllHosts().isEmpty(); }, std::chrono::seconds(15));
    }
    /// A run that was stopped in the middle: all that it has committed has a copy.
    static void stopInTheMiddle(const Workplace& place) {
        const auto program = place.start({"run", "job.toml", "--run-dir", "own/run"});
        QVERIFY2(waitUntil([] { return latestOn(2).startsWith("step-"); }),
                 program->errors().constData());
        QVERIFY(program->signal(SIGINT));
        REQUIRE_EXIT(program->waitForEnd(), 3);
        QCOMPARE(latestOn(2), latestOn(1));
    }
    void goesOn(const Workplace& place, const QString& from) const {
        const Ended ended = place.run({"run", "job.toml", "--run-dir", "own/run", "--resume"});
        REQUIRE_EXIT(ended, 0);
        QVERIFY2(ended.errors.contains("is from 10.77.0.2, which had a copy: " + from.toUtf8()),
                 ended.words());
        QCOMPARE(place.stateHash("own/run"), undisturbed_);
        QVERIFY(hasEveryStep(place, "own/run", 2, kEpochs * 116));
        REQUIRE_EXIT(place.run({"verify", "own/run"}), 0);
    }

private slots:
    void initTestCase() {
        if (!insideHosts()) QSKIP(qPrintable(whyNoHosts()));
        const ApartPlace place;
        QVERIFY(place.isApart());
        place.write("job.toml", job(""));
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "own/run"}), 0);
        undisturbed_ = place.stateHash("own/run");
        QVERIFY(!undisturbed_.isEmpty());
        QVERIFY(latestOn(2).isEmpty());
    }
    void cleanup() {
        if (insideHosts()) QVERIFY2(nothingIsLeft(), "a process of the run is left on a host");
    }

    void aRunThatEndsHasItsResultOnBothHosts() {
        const ApartPlace place;
        place.write("job.toml", job());
        const Ended ended = place.run({"run", "job.toml", "--run-dir", "own/run"});
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(place.stateHash("own/run"), undisturbed_);
        const QJsonObject copies = place.summary("own/run")["checkpoint_copies"].toObject();
        QCOMPARE(copies["host"].toString(), "10.77.0.2");
        QVERIFY(copies["copied"].toInt() >= 1);
        QCOMPARE(copies["newest_step"].toInt(), kEpochs * 116);
        QVERIFY(copies["missing_step"].isNull());
        QCOMPARE(copies["failed_attempts"].toInt(), 0);
        const int committed = kEpochs * 116 / 50 + 1;
        QCOMPARE(copies["copied"].toInt() + copies["overtaken"].toInt(), committed);
        QCOMPARE(latestOn(2), latestOn(1));
        QVERIFY2((ended.output + ended.errors)
                     .contains("on 10.77.0.2, too, the newest of step " +
                               QByteArray::number(kEpochs * 116)),
                 ended.words());
        const Ended verified = place.run({"verify", "own/run"});
        REQUIRE_EXIT(verified, 0);
        QVERIFY2(verified.output.contains("copied, the last one, of step " +
                                          QByteArray::number(kEpochs * 116) + ", to 10.77.0.2"),
                 verified.output.constData());
        // The copy is a run's folder like any other.
        const Ended there = onHost(2, QString("cd %1/* && ls").arg(kRuns));
        for (const char* part : {"checkpoints", "journal", "job.toml", "summary.json"})
            QVERIFY2(there.output.contains(part), there.output.constData());
    }
    void whoHasLostTheFirstHostsFolderGoesOnFromTheCopy() {
        const ApartPlace place;
        place.write("job.toml", job());
        stopInTheMiddle(place);
        if (QTest::currentTestFailed()) return;
        REQUIRE_EXIT(onHost(1, QString("rm -rf %1/*").arg(kRuns)), 0);
        goesOn(place, "10.77.0.1 has none of this run");
    }
    void theCopyIsARunsFolderLikeAnyOther() {
        const ApartPlace place;
        place.write("job.toml", job());
        stopInTheMiddle(place);
        if (QTest::currentTestFailed()) return;
        const Ended there =
            onHost(2, QString("cd %1/* && XDG_CACHE_HOME=%2/tests/cache %2/bin/lockstepctl run "
                              "job.toml --processes 2 --run-dir . --resume && cat summary.json")
                          .arg(kRuns, LOCKSTEP_BINARY_DIR));
        REQUIRE_EXIT((Ended{there.status, false, there.output, there.errors}), 0);
        QVERIFY2(there.output.contains(undisturbed_.toUtf8()), there.output.constData());
    }
    void aDamagedCheckpointIsReplacedByItsCopy() {
        const ApartPlace place;
        place.write("job.toml", job());
        stopInTheMiddle(place);
        if (QTest::currentTestFailed()) return;
        REQUIRE_EXIT(onHost(1, QString("for f in %1/*/checkpoints/step-*/model.safetensors; do "
                                       "truncate -s -1 $f; done")
                                   .arg(kRuns)),
                     0);
        goesOn(place, "10.77.0.1: ");
    }
    void theNextStartGoesOnFromTheCopyToo() {
        const ApartPlace place;
        place.write("job.toml", job("copies = 2\n", "lease_seconds = 3\nmax_restarts = 1\n"));
        const auto program = place.start({"run", "job.toml", "--run-dir", "own/run"});
        QVERIFY2(waitUntil([] { return latestOn(2).startsWith("step-"); }),
                 program->errors().constData());
        const QList<pid_t> agents = startedWith(1, "--agent");
        QCOMPARE(agents.size(), 1);
        ::kill(agents.first(), SIGKILL);
        REQUIRE_EXIT(onHost(1, QString("rm -rf %1/*").arg(kRuns)), 0);
        const Ended ended = program->waitForEnd(std::chrono::seconds(150));
        REQUIRE_EXIT(ended, 0);
        QVERIFY2(ended.errors.contains("is from 10.77.0.2, which had a copy"), ended.words());
        QCOMPARE(place.summary("own/run")["restarts"].toInt(), 1);
        QCOMPARE(place.stateHash("own/run"), undisturbed_);
        QVERIFY(hasEveryStep(place, "own/run", 2, kEpochs * 116));
    }
    void aFullDiskOnTheSecondHostIsNamedAndCopiedToAgainOnceThereIsSpace() {
        const ApartPlace place;
        place.write("job.toml", job());
        REQUIRE_EXIT(onHost(2, QString("mkdir -p %1 && mount -t tmpfs -o size=4m tmpfs %1 && "
                                       "head -c 3900k /dev/zero > %1/filler")
                                   .arg(kRuns)),
                     0);
        const auto program = place.start({"run", "job.toml", "--run-dir", "own/run"});
        const auto isNamed = [&] {
            return program->errors().contains("was not copied to 10.77.0.2, attempt 1: ") &&
                   program->errors().contains("No space left on device");
        };
        QVERIFY2(waitUntil(isNamed), program->errors().constData());
        REQUIRE_EXIT(onHost(2, QString("rm %1/filler").arg(kRuns)), 0);
        const Ended ended = program->waitForEnd(std::chrono::seconds(120));
        REQUIRE_EXIT(ended, 0);
        QVERIFY2(QRegularExpression("is copied to 10\\.77\\.0\\.2, [0-9.]+ s, after \\d+ attempt")
                     .match(QString::fromUtf8(ended.errors))
                     .hasMatch(),
                 ended.words());
        QCOMPARE(place.stateHash("own/run"), undisturbed_);
        const QJsonObject copies = place.summary("own/run")["checkpoint_copies"].toObject();
        QVERIFY(copies["failed_attempts"].toInt() >= 1);
        QVERIFY(copies["missing_step"].isNull());
        QCOMPARE(latestOn(2), latestOn(1));
    }
    void hostsThatShareTheFolderMakeNoCopiesAndAreTold() {
        const Workplace place;
        place.write("job.toml", job());
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "run"}), 0);
        QVERIFY(!place.summary("run").contains("checkpoint_copies"));
        const Ended logs = place.run({"logs", "run"});
        QVERIFY2(logs.output.contains("10.77.0.2 sees the run's folder, too"), logs.words());
    }
    void theStepsAreAsFastAsWithoutCopies() {
        QMap<QString, QList<double>> times;
        for (int round = 0; round < 3; ++round)
            for (const char* copies : {"copies = 1\n", "copies = 2\n"}) {
                const ApartPlace place;
                place.write("job.toml", job(copies));
                REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "own/run"}), 0);
                const QJsonObject summary = place.summary("own/run");
                const QJsonObject step = summary["step_milliseconds"].toObject();
                times[copies].append(step["p50"].toDouble());
                qInfo("%.10s: step p50 %.3f ms, p99 %.3f ms; %d copied, %d overtaken", copies,
                      step["p50"].toDouble(), step["p99"].toDouble(),
                      summary["checkpoint_copies"]["copied"].toInt(),
                      summary["checkpoint_copies"]["overtaken"].toInt());
            }
        const auto best = [&](const char* copies) { return std::ranges::min(times[copies]); };
        QVERIFY(best("copies = 2\n") < 1.5 * best("copies = 1\n"));
    }
};

LOCKSTEP_HOSTS_TEST_MAIN(SshCopiesTest)
#include "tst_ssh_copies.moc"
