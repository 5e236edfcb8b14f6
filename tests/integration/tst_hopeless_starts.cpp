// SPDX-License-Identifier: Apache-2.0
// Starts that would only meet again what the ones before have met.
#include <QtTest>

#include "core/checkpoint/checkpoint_store.h"
#include "tests/integration/workplace.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace {

/// Weights that are numbers, whose sums are none: the checkpoint is whole, and of no use.
void spoil(const QString& checkpoints, std::int64_t step) {
    using checkpoint::CheckpointStore;
    auto store =
        CheckpointStore::open(checkpoints.toStdString(), CheckpointStore::Access::Write).value();
    checkpoint::LoadedCheckpoint loaded = store.load(step).value();
    checkpoint::Snapshot snapshot;
    snapshot.state = loaded.state;
    for (checkpoint::Tensor& tensor : loaded.model) {
        for (float& value : tensor.values)
            value *= 1e30F;
        snapshot.model.push_back({tensor.name, tensor.shape, tensor.values});
    }
    for (const checkpoint::Tensor& tensor : loaded.optimizer)
        snapshot.optimizer.push_back({tensor.name, tensor.shape, tensor.values});
    QVERIFY(store.commit(snapshot).has_value());
}

}  // namespace

class HopelessStartsTest : public QObject {
    Q_OBJECT

    Workplace place_;

    [[nodiscard]] Ended run(const QString& folder, const QStringList& settings,
                            const QStringList& more = {}) const {
        QStringList arguments{"run", "job.toml", "--processes", "2", "--run-dir", folder};
        for (const QString& setting : settings)
            arguments << "--set" << setting;
        return place_.run(arguments + more);
    }
    [[nodiscard]] Ended resume(const QStringList& settings) const {
        return run("spoilt", settings, {"--resume"});
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

    void aCheckpointWhoseLossSoonBecomesNanIsMarkedAndTheOneBeforeIsTaken() {
        place_.write("job.toml", longerJob(60));
        REQUIRE_EXIT(run("undisturbed", {}), 0);
        const auto first =
            place_.start({"run", "job.toml", "--processes", "2", "--run-dir", "spoilt"});
        const QDir checkpoints(place_.path("spoilt/checkpoints"));
        const auto committed = [&] { return checkpoints.entryList({"step-*"}, QDir::Dirs); };
        QVERIFY(waitUntil([&] { return committed().size() > 1; }));
        QVERIFY(first->signal(SIGINT));
        REQUIRE_EXIT(first->waitForEnd(), 3);
        const QString latest = place_.latest("spoilt");
        const int step = latest.mid(5).toInt();
        int before = 0;
        for (const QString& name : committed())
            if (name != latest) before = std::max(before, name.mid(5).toInt());
        QVERIFY(before > 0 && before < step);
        spoil(checkpoints.path(), step);

        const Ended failed = resume({});
        REQUIRE_EXIT(failed, 1);
        const QString mark = "spoilt/checkpoints/" + latest + "/suspect";
        QVERIFY2(place_.exists(mark), failed.words());
        QVERIFY2(remedyOf(failed).join(' ').contains("checkpoints/" + latest + "/suspect"),
                 failed.words());
        const Ended verified = place_.run({"verify", "spoilt"});
        REQUIRE_EXIT(verified, 0);
        QVERIFY2(verified.output.contains(latest.toUtf8()) &&
                     verified.output.contains("suspect: its loss became NaN within 1 step of it"),
                 verified.words());

        // Without its mark it is taken, as the user says; then a restart takes the one before.
        QVERIFY(QFile::remove(place_.path(mark)));
        const Ended again = resume({"launch.max_restarts=1"});
        REQUIRE_EXIT(again, 0);
        const QByteArray passedOver =
            QString(
                "the checkpoint of step %1 is passed over: its loss became NaN within 1 step "
                "of it; going on from step %2")
                .arg(step)
                .arg(before)
                .toUtf8();
        QVERIFY2(again.errors.contains(passedOver), again.words());
        QCOMPARE(place_.summary("spoilt")["restarts"], QJsonValue(1));
        QCOMPARE(place_.stateHash("spoilt"), place_.stateHash("undisturbed"));
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
