// SPDX-License-Identifier: Apache-2.0
// The agent of a run is killed: whoever has started it starts another one, as the job allows, and
// the training goes on to the bits of one that nobody has disturbed.
#include <QtTest>

#include "tests/integration/workplace.h"
#include "tests/support/frozen_thread.h"

using namespace lockstep::tests;

namespace {

constexpr int kEpochs = 40;
constexpr const char* kKilled = "the run's agent was killed by signal 9 (SIGKILL)";
constexpr const char* kStopped =
    "the run's agent was stopped, by SIGSTOP or a debugger, and killed after ";
constexpr const char* kShortSilence = "cluster.heartbeat_timeout_seconds=2";

QByteArray jobWithRestarts(int restarts, int epochs = kEpochs) {
    return longerJob(epochs) + "[launch]\nmax_restarts = " + QByteArray::number(restarts) + "\n";
}

/// The last that was told; 0: none.
int newestEpoch(const QByteArray& told) {
    const qsizetype at = told.lastIndexOf("epoch ", told.lastIndexOf(": loss "));
    return at < 0 ? 0 : told.mid(at + 6).split(':').first().toInt();
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

    /// Both do it to the agent that runs now, and say which that was.
    pid_t killAgent() { return signalAgent(SIGKILL); }
    pid_t stopAgent() { return signalAgent(SIGSTOP); }
    pid_t signalAgent(int signal) {
        const auto agents = place_->processes("run", "agent");
        return agents.size() == 1 && ::kill(agents[0].pid, signal) == 0 ? agents[0].pid : 0;
    }

    /// Once another agent than that one has made a checkpoint.
    /// A moment after another agent has taken over the terminal tells of it.
    static bool says(Program& run, const char* words) {
        return waitUntil([&] { return run.errors().contains(words); });
    }
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
        // Where that takes a while the line of progress says it, too.
        QCOMPARE(ended.errors.count("warning: " + QByteArray(kKilled) + ": another one is started"),
                 2);
        const QByteArray journal = place_->read("run/journal");
        QVERIFY(journal.contains("restart 1 of 2 after: " + QByteArray(kKilled)));
        QVERIFY(journal.contains("restart 2 of 2 after: " + QByteArray(kKilled)));

        const QJsonObject summary = place_->summary("run");
        QCOMPARE(summary["restarts"].toInt(), 2);
        QCOMPARE(summary["failures"].toArray().size(), 2);
        QVERIFY(summary["wall_seconds"].toDouble() > summary["train_seconds"].toDouble());
        const Ended whole = place_->run({"verify", "run"});
        REQUIRE_EXIT(whole, 0);
        QVERIFY2(whole.output.contains("nothing is damaged"), whole.words());
        QVERIFY(place_->nothingRunsSoon());
    }

    void beforeItsFirstCheckpointItBeginsAgain() {
        // Long enough to be caught where whoever reads its lines comes late.
        QByteArray job = jobWithRestarts(1, 2 * kEpochs);
        job.replace("every_steps = 50", "every_steps = 100000");
        place_->write("whole.toml", job);
        REQUIRE_EXIT(place_->run({"run", "whole.toml", "--processes", "2", "--run-dir", "whole"}),
                     0);
        const auto run = started(job);
        QVERIFY(waitUntil([&] { return run->errors().contains("epoch 1: "); }));
        QVERIFY2(killAgent() > 0, run->errors().constData());
        QVERIFY(!place_->exists("run/checkpoints/LATEST"));
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 0);
        QCOMPARE(place_->stateHash("run"), place_->stateHash("whole"));
    }

    void whoFollowsTheRunGoesOnWithTheNewAgent() {
        const auto run = started(jobWithRestarts(1, 400));
        QVERIFY(place_->firstCheckpointComes("run"));
        const auto follower = place_->start({"attach", "run"});
        QVERIFY(waitUntil([&] { return follower->errors().contains("epoch 1: "); }));
        const pid_t first = killAgent();
        QVERIFY2(goesOn(first), run->errors().constData());
        const int seen = newestEpoch(follower->errors());
        QVERIFY2(waitUntil([&] { return newestEpoch(follower->errors()) > seen + 1; }),
                 follower->errors().constData());
        REQUIRE_EXIT(place_->run({"stop", "run"}), 0);
        REQUIRE_EXIT(run->waitForEnd(), 3);
        const Ended followed = follower->waitForEnd();
        REQUIRE_EXIT(followed, 3);
        QVERIFY2(!followed.errors.contains("damaged"), followed.words());
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

    /// A process's death, made up for by the agent, is one of them.
    void restartsOfProcessesAndOfAgentsCountAlike() {
        const auto run = started(jobWithRestarts(1, 400));
        QVERIFY(place_->firstCheckpointComes("run"));
        const auto workers = place_->processes("run", "worker");
        QVERIFY(workers.size() == 2 && ::kill(workers[1].pid, SIGKILL) == 0);
        QVERIFY2(waitUntil([&] {
                     const auto now = place_->processes("run", "worker");
                     return now.size() == 2 && now[1].pid != workers[1].pid;
                 }),
                 run->errors().constData());
        const QString latest = place_->latest("run");
        QVERIFY(waitUntil([&] { return place_->latest("run") != latest; }));
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

    /// Nobody sees it end, and nothing of it is heard: its launcher does not wait for that.
    void oneThatStaysStoppedIsKilledAndReplaced() {
        const auto run = started(jobWithRestarts(1, 400), {"--set", kShortSilence});
        QVERIFY(place_->firstCheckpointComes("run"));
        const pid_t first = stopAgent();
        QVERIFY(first > 0);
        QVERIFY2(goesOn(first), run->errors().constData());
        QVERIFY2(says(*run, kStopped), run->errors().constData());
        QVERIFY2(says(*run, "s: another one is started"), run->errors().constData());
        QVERIFY(!place_->exists("run/ended-by-force"));
        REQUIRE_EXIT(place_->run({"stop", "run"}), 0);
        REQUIRE_EXIT(run->waitForEnd(), 3);
        QVERIFY(place_->nothingRunsSoon());
    }

    void oneThatStaysStoppedEndsAJobThatIsToStop() {
        const auto run =
            started(jobWithRestarts(5), {"--set", "launch.on_stuck=stop", "--set", kShortSilence});
        QVERIFY(place_->firstCheckpointComes("run"));
        QVERIFY(stopAgent() > 0);
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 1);
        QCOMPARE(errorsOf(ended).size(), 1);
        QVERIFY2(errorsOf(ended)[0].startsWith(kStopped), ended.words());
        QVERIFY2(remedyOf(ended).join(' ').contains("`--resume` goes on"), ended.words());
        QVERIFY(place_->nothingRunsSoon());
    }

    /// It lives, but nobody hears it; what it cannot tell the run it leaves in its log.
    void oneWhoseCoordinatorStandsGivesUpAndIsReplaced() {
        const auto run = started(jobWithRestarts(1, 400), {"--set", kShortSilence});
        QVERIFY(place_->firstCheckpointComes("run"));
        const auto agents = place_->processes("run", "agent");
        QCOMPARE(agents.size(), qsizetype{1});
        const FrozenThread stands(threadNamed(agents[0].pid, "coord"));
        if (!stands.isHeld()) QSKIP("this user may not trace processes");
        QVERIFY2(goesOn(agents[0].pid), run->errors().constData());
        QVERIFY(place_->read("run/logs/agent.log")
                    .contains("warning: the coordinator's thread has not run for 3"));
        QVERIFY2(says(*run,
                      "the run's agent was killed by signal 6 (SIGABRT): the coordinator's "
                      "thread has not run for "),
                 run->errors().constData());
        REQUIRE_EXIT(place_->run({"stop", "run"}), 0);
        REQUIRE_EXIT(run->waitForEnd(), 3);
        QVERIFY(place_->nothingRunsSoon());
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
