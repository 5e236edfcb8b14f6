// SPDX-License-Identifier: Apache-2.0
#include "core/launch/run/summary_file.h"

#include <nlohmann/json.hpp>

namespace lockstep::launch {

using nlohmann::json;

namespace {

/// Every field of the contract, null where the run did not get as far.
json emptySummary() {
    json summary;
    for (const char* key : {"backend",
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
                            "samples_per_second",
                            "step_milliseconds",
                            "state_hash",
                            "stopped_early_at_epoch",
                            "best_epoch",
                            "best_step",
                            "best_value",
                            "restored_best",
                            "restored_step",
                            "skipped_steps"})
        summary[key] = nullptr;
    return summary;
}

}  // namespace

std::string completeSummary(const std::string& chiefsSummary, const RunFacts& facts) {
    json summary = emptySummary();
    const json chiefs = json::parse(chiefsSummary, nullptr, false);
    if (chiefs.is_object()) summary.update(chiefs);
    summary["status"] = facts.status;
    summary["world_size"] = facts.worldSize;
    summary["wall_seconds"] = facts.wallSeconds;
    summary["restarts"] = facts.restarts;
    summary["lost_records"] = facts.lostRecords;
    summary["missing_records"] =
        facts.missingRecords.empty() ? json(nullptr) : json(facts.missingRecords);
    if (!summary.contains("warnings")) summary["warnings"] = json::array();
    summary["failures"] = json::array();
    for (const wire::Failure& failure : facts.failures)
        summary["failures"].push_back(
            {{"process_id", failure.process_id()},
             {"host", failure.host()},
             {"cause", failure.cause()},
             {"step", failure.step()},
             {"detected_after_seconds", failure.detected_after_seconds()}});
    return summary.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

bool trainedNothing(const std::string& summary) {
    const json fields = json::parse(summary, nullptr, false);
    return fields.is_object() && fields.value("status", json()) == "completed" &&
           fields.value("trained_steps", json()) == 0;
}

std::string resumedSummary(const std::string& former, const std::string& fresh) {
    const json fields = json::parse(former, nullptr, false);
    const bool completed = fields.is_object() && fields.value("status", json()) == "completed";
    return completed ? former : fresh;
}

}  // namespace lockstep::launch
