// SPDX-License-Identifier: Apache-2.0
#include "core/run/summary_file.h"

#include <algorithm>

#include "core/base/summary_limit.h"
#include "core/coordination/state/drill_words.h"
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

Json secondsBetween(double from, double to) {
    return from > 0 && to > 0 ? Json(std::max(0.0, to - from)) : Json();
}

/// The fields of `lockstepctl drill --json`.
Json drillOf(const wire::Drill& drill) {
    const double landed = drill.landed_wall_time();
    return Json::object(
        {{"kind", coordination::wordOf(drill.kind())},
         {"process_id", drill.process_id()},
         {"seconds", drill.seconds()},
         {"counted", landed > 0},
         {"landed_after_seconds", secondsBetween(drill.ordered_wall_time(), landed)},
         {"landed_step", drill.landed_step()},
         {"detected_after_seconds", secondsBetween(landed, drill.detected_wall_time())},
         {"detected", drill.detected_sentence()},
         {"named_process", drill.named_process()},
         {"named_kind", drill.named_kind()},
         {"recovered_after_seconds", secondsBetween(landed, drill.recovered_wall_time())},
         {"recovered_step", drill.recovered_step()},
         {"steps_lost", drill.steps_lost()},
         {"outcome", drill.sentence()}});
}

/// Times in milliseconds.
Json stragglerOf(const coordination::Straggler& one) {
    return Json::object({{"process_id", one.process},
                         {"replica", one.replica},
                         {"host", one.host},
                         {"cost", one.cost},
                         {"together", one.isTogether},
                         {"phase", one.phase.empty() ? Json() : Json(one.phase)},
                         {"own_milliseconds", one.ownMicros * 1e-3},
                         {"others_milliseconds", one.othersMicros * 1e-3},
                         {"first_step", one.firstStep},
                         {"last_step", one.lastStep},
                         {"seconds", one.seconds},
                         {"caught_up", one.caughtUp}});
}

Json replacementOf(const wire::HostReplacement& one) {
    const std::vector<std::uint32_t> processes(one.process_ids().begin(), one.process_ids().end());
    return Json::object({{"host", one.host()},
                         {"spare", one.spare()},
                         {"processes", processes},
                         {"evaluator", one.evaluator()},
                         {"restart", one.restart()}});
}

Json leftOf(const wire::HostLeftBehind& one) {
    const std::vector<std::uint32_t> processes(one.process_ids().begin(), one.process_ids().end());
    return Json::object({{"host", one.host()},
                         {"processes", processes},
                         {"evaluator", one.evaluator()},
                         {"restart", one.restart()},
                         {"processes_left", one.processes_left()}});
}

/// One account of all of them: `damaged` places of the journal cannot be read, each of one record
/// or more.
Json recordsOf(const RunFacts& facts) {
    const telemetry::JournalDamage& damage = facts.damage;
    const bool isKnown = facts.writtenRecords.has_value();
    return Json::object(
        {{"written", isKnown ? Json(*facts.writtenRecords) : Json()},
         {"dropped", facts.lostRecords},
         {"damaged", isKnown ? Json(damage.places) : Json()},
         {"damage", damage.bytes > 0 ? Json(telemetry::describe(damage)) : Json()},
         {"missing_steps", isKnown ? Json(facts.lostSteps) : Json()},
         {"missing", facts.lostStepsText.empty() ? Json() : Json(facts.lostStepsText)}});
}

Json copiesOf(const coordination::CopyTally& copies) {
    return Json::object({{"host", copies.host},
                         {"copied", copies.copied},
                         {"overtaken", copies.overtaken},
                         {"failed_attempts", copies.failures},
                         {"newest_step", copies.newest > 0 ? Json(copies.newest) : Json()},
                         {"missing_step", copies.awaited > 0 ? Json(copies.awaited) : Json()},
                         {"problem", copies.problem.empty() ? Json() : Json(copies.problem)}});
}

}  // namespace

std::string completeSummary(const std::string& chiefsSummary, const RunFacts& facts) {
    Json summary = emptySummary();
    const Json chiefs = text::parseJson(chiefsSummary, kMostSummaryBytes).value_or(Json());
    for (const auto& [name, value] : chiefs.members())
        summary[name] = value;
    summary["status"] = facts.status;
    summary["world_size"] = facts.worldSize;
    summary["processes"] = facts.processes;
    summary["wall_seconds"] = facts.wallSeconds;
    summary["total_wall_seconds"] =
        facts.earlierSeconds ? Json(*facts.earlierSeconds + facts.wallSeconds) : Json();
    summary["restarts"] = facts.restarts;
    summary["records"] = recordsOf(facts);
    summary["lost_records"] = facts.lostRecords;
    summary["missing_records"] = facts.missingRecords.empty() ? Json() : Json(facts.missingRecords);
    if (facts.scoring) summary["evaluation"] = evaluationOf(*facts.scoring);
    if (!facts.copies.host.empty()) summary["checkpoint_copies"] = copiesOf(facts.copies);
    Json& drills = summary["drills"] = Json::List();
    for (const wire::Drill& drill : facts.drills)
        drills.push(drillOf(drill));
    Json& stragglers = summary["stragglers"] = Json::List();
    for (const coordination::Straggler& one : facts.stragglers.told)
        stragglers.push(stragglerOf(one));
    summary["stragglers_left_out"] = facts.stragglers.leftOut;
    if (!summary.has("warnings")) summary["warnings"] = Json::List();
    Json& failures = summary["failures"] = Json::List();
    for (const wire::Failure& failure : facts.failures)
        failures.push(Json::object({{"process_id", failure.process_id()},
                                    {"host", failure.host()},
                                    {"cause", failure.cause()},
                                    {"step", failure.step()},
                                    {"detected_after_seconds", failure.detected_after_seconds()}}));
    Json& replaced = summary["replaced_hosts"] = Json::List();
    for (const wire::HostReplacement& one : facts.replacedHosts)
        replaced.push(replacementOf(one));
    Json& left = summary["left_hosts"] = Json::List();
    for (const wire::HostLeftBehind& one : facts.leftHosts)
        left.push(leftOf(one));
    return summary.text(2) + "\n";
}

std::optional<double> secondsUntilEndOf(const std::string& summary) {
    const Json fields = text::parseJson(summary, kMostSummaryBytes).value_or(Json());
    // null: it was not known then
    return fields.get<double>(fields.has("total_wall_seconds") ? "total_wall_seconds"
                                                               : "wall_seconds");
}

bool trainedNothing(const std::string& summary) {
    const Json fields = text::parseJson(summary, kMostSummaryBytes).value_or(Json());
    return fields.get<std::string>("status") == "completed" &&
           fields.get<std::int64_t>("trained_steps") == 0;
}

std::string resumedSummary(const std::string& former, const std::string& fresh) {
    const Json fields = text::parseJson(former, kMostSummaryBytes).value_or(Json());
    return fields.get<std::string>("status") == "completed" ? former : fresh;
}

}  // namespace lockstep::run
