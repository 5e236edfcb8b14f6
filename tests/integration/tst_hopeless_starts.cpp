// SPDX-License-Identifier: Apache-2.0
// Starts that would only meet again what the ones before have met.
#include <QtTest>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

class HopelessStartsTest : public QObject {
    Q_OBJECT

    Workplace place_;

    [[nodiscard]] Ended run(const QString& folder, const QStringList& settings) const {
        QStringList arguments{"run", "job.toml", "--processes", "2", "--run-dir", folder};
        for (const QString& setting : settings)
            arguments << "--set" << setting;
        return place_.run(arguments);
    }

private slots:
    void cleanup() { QVERIFY2(place_.nothingRunsSoon(), "a process of the job is left running"); }

    void aRunThatFailsAlikeAtOneStepEndsAtTheThirdTimeAndSaysSo() {
        place_.write("job.toml", longerJob(3));
        const Ended ended =
            run("diverges", {"training.optimizer=sgd", "training.learning_rate=1e6",
                             "model.layers=[{ units = 32 }, { units = 10 }]",
                             "checkpoint.every_steps=1000", "launch.max_restarts=20"});
        REQUIRE_EXIT(ended, 1);
        const QStringList errors = errorsOf(ended);
        QCOMPARE(errors.size(), 1);
        QVERIFY2(QRegularExpression("^process [01] \\([^)]+\\): 3 times the same (after step \\d+, "
                                    "without a step of progress|before the first step): the loss "
                                    "became \\S+ at step \\d+ on replica [01]; the step was not "
                                    "applied$")
                     .match(errors[0])
                     .hasMatch(),
                 qPrintable(errors[0]));
        const QStringList remedy = remedyOf(ended);
        QVERIFY2(remedy.size() <= 4, ended.words());
        QVERIFY2(remedy.join(' ').contains("launch.max_restarts was not used up (18 left)"),
                 ended.words());
        const QJsonObject summary = place_.summary("diverges");
        QCOMPARE(summary["status"], QJsonValue("failed"));
        QCOMPARE(summary["restarts"], QJsonValue(2));
        QCOMPARE(summary["failures"].toArray().size(), 3);
    }

    void whoIsKilledByOthersBeginsAgainAsOftenAsTheJobSays() {
        place_.write("job.toml", longerJob(60));
        const auto killed =
            place_.start({"run", "job.toml", "--processes", "2", "--run-dir", "killed", "--set",
                          "launch.max_restarts=4", "--set", "checkpoint.every_steps=100000"});
        pid_t former = 0;
        for (int time = 0; time < 4; ++time) {
            QList<ProcessIdentity> workers;
            QVERIFY(waitUntil([&] {
                workers = place_.processes("killed", "worker");
                return workers.size() == 2 && workers[1].pid != former;
            }));
            former = workers[1].pid;
            QCOMPARE(::kill(former, SIGKILL), 0);
        }
        const Ended ended = killed->waitForEnd();
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(place_.summary("killed")["restarts"], QJsonValue(4));
    }
};

QTEST_GUILESS_MAIN(HopelessStartsTest)
#include "tst_hopeless_starts.moc"
