// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <functional>
#include <map>

#include "core/base/text.h"
#include "tests/support/simulated_cluster.h"

using namespace lockstep;
using namespace lockstep::coordination;
using namespace lockstep::tests;

namespace {

/// A campaign runs more: LOCKSTEP_SEEDS=1000000. Of one thread ThreadSanitizer learns nothing new.
#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kSeeds = 1'000;
#else
constexpr std::uint64_t kSeeds = 10'000;
#endif

std::uint64_t seedCount() {
    const QString more = qEnvironmentVariable("LOCKSTEP_SEEDS");
    return more.isEmpty() ? kSeeds : more.toULongLong();
}

using Plant = std::function<void(JobRules&)>;

/// What is wrong with the report; empty when nothing is.
std::string complaint(const SimulationReport& report) {
    if (report.outcomes.size() != 1)
        return std::to_string(report.outcomes.size()) + " outcomes instead of one";
    const Outcome& outcome = report.outcomes.front();
    const bool failed =
        outcome.kind == OutcomeKind::Failed || outcome.kind == OutcomeKind::BadInput;
    const auto causes =
        std::ranges::count(report.failures, wire::ROLE_WORKER, &wire::Failure::role);
    if (causes != (failed ? 1 : 0)) return std::to_string(causes) + " causes";
    if (report.spokenByFenced > 0) return "a lost incarnation was heard";
    if (report.secondLivesWelcome > 0) return "a second life was welcome";
    const wire::Failure& failure = outcome.failure;
    const bool blamesVictim = failed && failure.process_id() == report.victim;
    const bool excused = !failed && report.tooLate;  // it happened too late to matter
    switch (report.fault) {
        case Fault::None:
        case Fault::Cut:
        case Fault::SecondLife:
            return outcome.kind == OutcomeKind::Completed ? "" : "failed: " + failure.cause();
        case Fault::Killed:
            if (excused || (blamesVictim && failure.cause() == "was killed by signal 9 (SIGKILL)"))
                return {};
            return "blames " + std::to_string(failure.process_id()) + ": " + failure.cause();
        case Fault::Silent:
        case Fault::OwnError:
            return excused || blamesVictim || outcome.kind == OutcomeKind::Completed
                       ? ""
                       : "blames " + std::to_string(failure.process_id());
        case Fault::Missing: {
            const std::vector<int> ids(report.missing.begin(), report.missing.end());
            const bool named =
                ids.size() == 1 || failure.cause().find(compressRanges(ids)) != std::string::npos;
            return failed && named && int(failure.process_id()) == ids.front()
                       ? ""
                       : "does not name all who are missing: " + failure.cause();
        }
        case Fault::BadInput:
            return outcome.kind == OutcomeKind::BadInput && blamesVictim ? "" : "is no bad input";
        case Fault::EvaluatorDies:
            return failed ? "an evaluator's death failed the job" : "";
        case Fault::Stopped:
            return failed ? "a stop failed the job" : "";
    }
    return "unknown fault";
}

/// The first thing that is wrong in any of many histories under changed rules; empty: nothing is.
std::string firstComplaint(const Plant& plant) {
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        const std::string wrong = complaint(SimulatedCluster(seed, plant).run());
        if (!wrong.empty()) return wrong;
    }
    return {};
}

}  // namespace

class CoordinatorSimulationTest : public QObject {
    Q_OBJECT
private slots:
    void everyJobEndsWithOneOutcomeAndTheRightCause() {
        const bool replay = qEnvironmentVariableIsSet("LOCKSTEP_SEED");
        const std::uint64_t first =
            replay ? qEnvironmentVariable("LOCKSTEP_SEED").toULongLong() : 1;
        std::map<Fault, int> faults;
        std::map<OutcomeKind, int> kinds;
        std::uint64_t duplicates = 0;
        std::uint64_t dropped = 0;
        for (std::uint64_t seed = first; seed < first + (replay ? 1 : seedCount()); ++seed) {
            const SimulationReport report = SimulatedCluster(seed).run();
            const std::string wrong = complaint(report);
            QVERIFY2(wrong.empty(),
                     qPrintable(QString("LOCKSTEP_SEED=%1 (%2, %3 workers, victim %4): %5")
                                    .arg(seed)
                                    .arg(faultName(report.fault))
                                    .arg(report.workers)
                                    .arg(report.victim)
                                    .arg(wrong.c_str())));
            ++faults[report.fault];
            ++kinds[report.outcomes.front().kind];
            duplicates += report.duplicates;
            dropped += report.dropped;
        }
        if (replay) return;
        QCOMPARE(int(faults.size()), kFaults);  // the faults did happen
        QCOMPARE(int(kinds.size()), 4);
        QVERIFY(duplicates > 0 && dropped > 0);
    }

    void aCoordinatorWithABrokenRuleIsNoticed() {
        QCOMPARE(firstComplaint({}), std::string());
        // Survivors are believed at once: they are blamed for what happened to another one.
        const auto hasty = firstComplaint([](JobRules& rules) { rules.followUpGrace = Nanos{}; });
        QVERIFY2(hasty.starts_with("blames "), hasty.c_str());
        // A short pause of the network counts as a death.
        const auto harsh =
            firstComplaint([](JobRules& rules) { rules.heartbeatTimeout = Millis(1500); });
        QVERIFY2(harsh.starts_with("failed: sent no heartbeat for"), harsh.c_str());
        // One worker fewer is waited for: who is missing is not noticed.
        const auto careless = firstComplaint([](JobRules& rules) {
            if (rules.workers > 1) --rules.workers;
        });
        QVERIFY2(!careless.empty(), "a job that begins without all of its workers");
    }

    void oneSeedIsOneStory() {
        for (std::uint64_t seed = 1; seed <= 20; ++seed)
            QCOMPARE(SimulatedCluster(seed).run().eventHash,
                     SimulatedCluster(seed).run().eventHash);
        QVERIFY(SimulatedCluster(1).run().eventHash != SimulatedCluster(2).run().eventHash);
    }
};

QTEST_GUILESS_MAIN(CoordinatorSimulationTest)
#include "tst_coordinator_simulation.moc"
