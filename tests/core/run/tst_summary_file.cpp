// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <nlohmann/json.hpp>
#include <set>

#include "core/run/summary_file.h"

using namespace lockstep;
using namespace lockstep::run;
using nlohmann::json;

namespace {

/// The contract: what every summary has.
const std::set<std::string> kFields{"status",
                                    "world_size",
                                    "backend",
                                    "device",
                                    "steps",
                                    "epochs",
                                    "train_loss",
                                    "train_accuracy",
                                    "validation_loss",
                                    "validation_accuracy",
                                    "test_loss",
                                    "test_accuracy",
                                    "train_seconds",
                                    "trained_steps",
                                    "wall_seconds",
                                    "total_wall_seconds",
                                    "samples_per_second",
                                    "step_milliseconds",
                                    "state_hash",
                                    "stopped_early_at_epoch",
                                    "stopped_early_because",
                                    "best_epoch",
                                    "best_step",
                                    "best_value",
                                    "restored_best",
                                    "restored_step",
                                    "warnings",
                                    "records",
                                    "lost_records",
                                    "missing_records",
                                    "skipped_steps",
                                    "evaluation",
                                    "devices",
                                    "drills",
                                    "stragglers",
                                    "stragglers_left_out",
                                    "replaced_hosts",
                                    "left_hosts",
                                    "processes",
                                    "restarts",
                                    "failures"};

std::set<std::string> fieldsOf(const json& summary) {
    std::set<std::string> names;
    for (const auto& [name, value] : summary.items())
        names.insert(name);
    return names;
}

RunFacts failedFacts() {
    RunFacts facts{
        .status = "failed", .wallSeconds = 12.5, .restarts = 1, .failures = {}, .worldSize = 4};
    wire::Failure& failure = facts.failures.emplace_back();
    failure.set_process_id(2);
    failure.set_host("host-b");
    failure.set_cause("was killed by signal 9 (SIGKILL)");
    failure.set_step(77);
    failure.set_detected_after_seconds(0.25);
    return facts;
}

}  // namespace

class SummaryFileTest : public QObject {
    Q_OBJECT
private slots:
    void whatEvaluatorsScoredIsCountedAndTheRestNamed() {
        RunFacts facts = failedFacts();
        QVERIFY(json::parse(completeSummary("", facts))["evaluation"].is_null());
        facts.scoring = {.scored = 22, .notScored = {50, 60}};
        const json evaluation = json::parse(completeSummary("", facts))["evaluation"];
        QCOMPARE(evaluation["checkpoints"].get<int>(), 24);
        QCOMPARE(evaluation["scored"].get<int>(), 22);
        QVERIFY(evaluation["not_scored"] == json({50, 60}));
    }
    void aRunWhoseChiefNeverSpokeHasEveryFieldStill() {
        for (const char* chiefs : {"", "not json", "[1]"}) {
            const json summary = json::parse(completeSummary(chiefs, failedFacts()));
            QVERIFY2(fieldsOf(summary) == kFields, summary.dump().c_str());
            QVERIFY(summary["status"] == "failed");
            QVERIFY(summary["world_size"] == 4);
            QVERIFY(summary["wall_seconds"] == 12.5);
            QVERIFY(summary["restarts"] == 1);
            QVERIFY(summary["test_accuracy"].is_null());
            QVERIFY(summary["state_hash"].is_null());
        }
    }
    void failuresAreListedWithWhatIsKnown() {
        const json summary = json::parse(completeSummary("", failedFacts()));
        const json expected = json::array({{{"process_id", 2},
                                            {"host", "host-b"},
                                            {"cause", "was killed by signal 9 (SIGKILL)"},
                                            {"step", 77},
                                            {"detected_after_seconds", 0.25}}});
        QVERIFY2(summary["failures"] == expected, summary.dump().c_str());
    }
    void whoWasLeftBehindIsListedAndHowManyAreLeft() {
        RunFacts facts = failedFacts();
        facts.processes = 3;
        wire::HostLeftBehind& left = facts.leftHosts.emplace_back();
        left.set_host("host-c");
        left.add_process_ids(2);
        left.set_restart(1);
        left.set_processes_left(3);
        const json summary = json::parse(completeSummary("", facts));
        QVERIFY(summary["processes"] == 3);
        const json expected = json::array({{{"host", "host-c"},
                                            {"processes", {2}},
                                            {"evaluator", false},
                                            {"restart", 1},
                                            {"processes_left", 3}}});
        QVERIFY2(summary["left_hosts"] == expected, summary.dump().c_str());
    }
    void ofEveryRecordItIsSaidWhetherItWasWrittenDroppedOrDamaged() {
        RunFacts facts = failedFacts();
        facts.lostRecords = 3;
        const auto records = [&] { return json::parse(completeSummary("", facts))["records"]; };
        QVERIFY(records()["written"].is_null() && records()["damaged"].is_null());
        QVERIFY(records()["dropped"] == 3);
        facts.writtenRecords = 120;
        QVERIFY(records()["written"] == 120 && records()["damaged"] == 0);
        QVERIFY(records()["damage"].is_null());
        facts.damage = {.bytes = 80, .first = 4711, .places = 1};
        QVERIFY(records()["damaged"] == 1);
        QVERIFY(records()["damage"].get<std::string>().starts_with(
            "the journal is damaged at byte 4711: 80 bytes cannot be read"));
        QVERIFY(records()["missing_steps"] == 0 && records()["missing"].is_null());
        facts.lostSteps = 8;
        facts.lostStepsText = "steps of replica 1 are missing";
        QVERIFY(records()["missing_steps"] == 8);
        QVERIFY(records()["missing"] == "steps of replica 1 are missing");
    }
    void whoMadeTheOthersWaitIsListedWithItsPrice() {
        RunFacts facts = failedFacts();
        facts.stragglers.leftOut = 7;
        facts.stragglers.told.push_back({.process = 3,
                                         .replica = 3,
                                         .host = "host-c",
                                         .cost = 0.25,
                                         .isTogether = true,
                                         .phase = "backward",
                                         .ownMicros = 41'000,
                                         .othersMicros = 29'000,
                                         .firstStep = 812,
                                         .lastStep = 950,
                                         .seconds = 8.5});
        const json expected = json::array({{{"process_id", 3},
                                            {"replica", 3},
                                            {"host", "host-c"},
                                            {"cost", 0.25},
                                            {"together", true},
                                            {"phase", "backward"},
                                            {"own_milliseconds", 41.0},
                                            {"others_milliseconds", 29.0},
                                            {"first_step", 812},
                                            {"last_step", 950},
                                            {"seconds", 8.5},
                                            {"caught_up", false}}});
        const json summary = json::parse(completeSummary("", facts));
        QVERIFY2(summary["stragglers"] == expected, summary.dump().c_str());
        QVERIFY(summary["stragglers_left_out"] == 7);
    }
    void theChiefsPartIsKept() {
        const json summary = json::parse(completeSummary(
            R"({"status": "completed", "world_size": 2, "test_accuracy": 0.97, "steps": 3126})",
            {.status = "completed",
             .wallSeconds = 3,
             .restarts = 0,
             .failures = {},
             .worldSize = 2}));
        QVERIFY(summary["test_accuracy"] == 0.97);
        QVERIFY(summary["steps"] == 3126);
        QVERIFY(summary["status"] == "completed");
        QVERIFY(summary["failures"] == json::array());
    }
    void theAgentHasTheLastWordOnHowItEnded() {
        const json summary =
            json::parse(completeSummary(R"({"status": "completed"})", failedFacts()));
        QVERIFY(summary["status"] == "failed");
    }
    void aCauseThatIsNoTextIsStillWritten() {
        auto facts = failedFacts();
        facts.failures[0].set_cause("bad \xFF byte");
        const json summary = json::parse(completeSummary("", facts));
        QVERIFY(summary["failures"][0]["cause"] == "bad \xEF\xBF\xBD byte");
    }
    void aStartThatTrainedNothingLeavesTheFormerSummary() {
        const std::string nothing = R"({"status": "completed", "trained_steps": 0})";
        QVERIFY(trainedNothing(nothing));
        for (const char* other : {R"({"status": "completed", "trained_steps": 3})",
                                  R"({"status": "stopped", "trained_steps": 0})",
                                  R"({"status": "completed"})", "null", ""})
            QVERIFY2(!trainedNothing(other), other);
        const std::string former = R"({"status": "completed", "train_loss": 0.5})";
        QCOMPARE(resumedSummary(former, nothing), former);
        QCOMPARE(resumedSummary(R"({"status": "failed"})", nothing), nothing);
        QCOMPARE(resumedSummary("", nothing), nothing);
    }
    void theFileEndsWithALineEnd() { QVERIFY(completeSummary("", failedFacts()).ends_with("}\n")); }
};

QTEST_GUILESS_MAIN(SummaryFileTest)
#include "tst_summary_file.moc"
