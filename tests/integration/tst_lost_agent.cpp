// SPDX-License-Identifier: Apache-2.0
// The agent of a run is killed: whoever has started it starts another one, as the job allows, and
// the training goes on to the bits of one that nobody has disturbed.
#include <QtTest>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

constexpr int kEpochs = 40;
constexpr const char* kKilled = "the run's agent was killed by signal 9 (SIGKILL)";

QByteArray jobWithRestarts(int restarts, int epochs = kEpochs) {
    return longerJob(epochs) + "[launch]\nmax_restarts = " + QByteArray::number(restarts) + "\n";
}

}  // namespace

class LostAgentTest : public QObject {
    Q_OBJECT
    std::unique_ptr<Workplace> place_;

    [[nodiscard]] std::unique_ptr<Program> started(const QByteArray& job,
                                                   const QStringList& more = {}) {
        place_->write("job.toml", job);
        return place_->start(
            QStringList{"run", "job.toml", "--processes", "2", "--run-dir", "run"} + more);
    }

    /// Kills the agent that runs now, and says which that was.
    pid_t killAgent() {
        const auto agents = place_->processes("run", "agent");
        return agents.size() == 1 && ::kill(agents[0].pid, SIGKILL) == 0 ? agents[0].pid : 0;
    }

    /// Once another agent than that one has made a checkpoint.
    [[nodiscard]] bool goesOn(pid_t former) const {
        const QString latest = place_->latest("run");
        return waitUntil([&] {
            const auto agents = place_->processes("run", "agent");
            return agents.size() == 1 && agents[0].pid != former && place_->latest("run") != latest;
        });
    }

private slots:
    void init() { place_ = std::make_unique<Workplace>(); }

    void anotherAgentIsStartedAndTheTrainingGoesOn() {
        place_->write("whole.toml", jobWithRestarts(2));
        REQUIRE_EXIT(place_->run({"run", "whole.toml", "--processes", "2", "--run-dir", "whole"}),
                     0);
        const auto run = started(jobWithRestarts(2));
        QVERIFY(place_->firstCheckpointComes("run"));
        const pid_t first = killAgent();
        QVERIFY(first > 0);
        QVERIFY2(goesOn(first), run->errors().constData());
        const pid_t second = killAgent();
        QVERIFY(second > 0);
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(place_->stateHash("run"), place_->stateHash("whole"));
        QCOMPARE(ended.errors.count(kKilled + QByteArray(": another one is started")), 2);
        const QByteArray journal = place_->read("run/journal");
        QVERIFY(journal.contains("restart 1 of 2 after: " + QByteArray(kKilled)));
        QVERIFY(journal.contains("restart 2 of 2 after: " + QByteArray(kKilled)));

        const QJsonObject summary = place_->summary("run");
        QCOMPARE(summary["restarts"].toInt(), 2);
        QCOMPARE(summary["failures"].toArray().size(), 2);
        const Ended whole = place_->run({"verify", "run"});
        QVERIFY2(!whole.output.contains("damaged:"), whole.words());
        QVERIFY(place_->nothingRunsSoon());
    }

    void beforeItsFirstCheckpointItBeginsAgain() {
        place_->write("whole.toml", jobWithRestarts(1, 3));
        REQUIRE_EXIT(place_->run({"run", "whole.toml", "--processes", "2", "--run-dir", "whole"}),
                     0);
        const auto run = started(jobWithRestarts(1, 3));
        QVERIFY(waitUntil([&] { return run->errors().contains("run folder "); }));
        QVERIFY(waitUntil([&] { return !place_->processes("run", "agent").isEmpty(); }));
        QVERIFY(killAgent() > 0);
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(place_->stateHash("run"), place_->stateHash("whole"));
    }

    void oneMoreThanTheJobAllowsEndsTheRun() {
        const auto run = started(jobWithRestarts(1));
        QVERIFY(place_->firstCheckpointComes("run"));
        const pid_t first = killAgent();
        QVERIFY2(goesOn(first), run->errors().constData());
        QVERIFY(killAgent() > 0);
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 1);
        QCOMPARE(errorsOf(ended), QStringList(kKilled));
        QVERIFY(place_->nothingRunsSoon());
    }

    void withoutRestartsItsDeathEndsTheRun() {
        const auto run = started(jobWithRestarts(0));
        QVERIFY(place_->firstCheckpointComes("run"));
        QVERIFY(killAgent() > 0);
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 1);
        QCOMPARE(errorsOf(ended), QStringList(kKilled));
        QVERIFY2(remedyOf(ended).join(' ').contains("`--resume` goes on"), ended.words());
    }

    /// Ended by force on a user's word it is not lost.
    void whoIsEndedByForceIsNotReplaced() {
        const auto run = started(jobWithRestarts(5));
        QVERIFY(place_->firstCheckpointComes("run"));
        const auto agents = place_->processes("run", "agent");
        QCOMPARE(agents.size(), qsizetype{1});
        QCOMPARE(::kill(agents[0].pid, SIGSTOP), 0);
        REQUIRE_EXIT(place_->run({"stop", "run", "--kill"}), 0);
        const Ended ended = run->waitForEnd();
        QVERIFY2(ended.errors.contains("ended by force"), ended.words());
        QVERIFY2(!ended.errors.contains("another one is started"), ended.words());
        QCOMPARE(ended.status, 3);
        QVERIFY(place_->nothingRunsSoon());
        const Ended resumed =
            place_->run({"run", "job.toml", "--processes", "2", "--run-dir", "run", "--resume"});
        REQUIRE_EXIT(resumed, 0);
        QVERIFY(!place_->exists("run/ended-by-force"));
    }
};

QTEST_GUILESS_MAIN(LostAgentTest)
#include "tst_lost_agent.moc"
