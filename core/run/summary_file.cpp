// SPDX-License-Identifier: Apache-2.0
#include "core/run/summary_file.h"

#include "core/text/json.h"

namespace lockstep::run {

using text::Json;

namespace {

/// Every field of the contract, null where the run did not get as far.
Json emptySummary() {
    Json summary;
    for (const char* key : {"backend",
                            "device",
                            "devices",
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
                            "skipped_steps",
                            "evaluation"})
        summary[key] = nullptr;
    return summary;
}

/// What became of the checkpoints of this start.
Json evaluationOf(const coordination::ScoringTally& scoring) {
    Json notScored = Json::List();
    for (const std::int64_t step : scoring.notScored)
        notScored.push(step);
    return Json::object({{"checkpoints", scoring.scored + scoring.notScored.size()},
                         {"scored", scoring.scored},
                         {"not_scored", std::move(notScored)}});
}

}  // namespace

std::string completeSummary(const std::string& chiefsSummary, const RunFacts& facts) {
    Json summary = emptySummary();
    const Json chiefs = text::parseJson(chiefsSummary).value_or(Json());
    for (const auto& [name, value] : chiefs.members())
        summary[name] = value;
    summary["status"] = facts.status;
    summary["world_size"] = facts.worldSize;
    summary["wall_seconds"] = facts.wallSeconds;
    summary["restarts"] = facts.restarts;
    summary["lost_records"] = facts.lostRecords;
    summary["missing_records"] = facts.missingRecords.empty() ? Json() : Json(facts.missingRecords);
    if (facts.scoring) summary["evaluation"] = evaluationOf(*facts.scoring);
    if (!summary.has("warnings")) summary["warnings"] = Json::List();
    Json& failures = summary["failures"] = Json::List();
    for (const wire::Failure& failure : facts.failures)
        failures.push(Json::object({{"process_id", failure.process_id()},
                                    {"host", failure.host()},
                                    {"cause", failure.cause()},
                                    {"step", failure.step()},
                                    {"detected_after_seconds", failure.detected_after_seconds()}}));
    return summary.text(2) + "\n";
}

bool trainedNothing(const std::string& summary) {
    const Json fields = text::parseJson(summary).value_or(Json());
    return fields.get<std::string>("status") == "completed" &&
           fields.get<std::int64_t>("trained_steps") == 0;
}

std::string resumedSummary(const std::string& former, const std::string& fresh) {
    const Json fields = text::parseJson(former).value_or(Json());
    return fields.get<std::string>("status") == "completed" ? former : fresh;
}

}  // namespace lockstep::run
