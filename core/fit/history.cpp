// SPDX-License-Identifier: Apache-2.0
#include "core/fit/history.h"

#include <limits>

#include "core/base/summary_limit.h"
#include "core/text/json.h"

namespace lockstep::fit {

namespace {

/// In a column of its own, behind NaN for the epochs before that did not have it.
void put(History& history, const std::string& name, double value) {
    auto& column = history.values[name];
    column.resize(history.epochs.size() - 1, std::numeric_limits<double>::quiet_NaN());
    column.push_back(value);
}

void putPart(History& history, const std::string& before, const EpochFigures::Part& part) {
    put(history, before + "loss", part.loss);
    put(history, before + "accuracy", part.accuracy);
    for (const auto& [name, value] : part.metrics)
        if (name != "loss" && name != "accuracy") put(history, before + name, value);
}

}  // namespace

History historyOf(const job::FitResult& result) {
    History history;
    for (const EpochFigures& epoch : result.epochs) {
        history.epochs.push_back(epoch.epoch);
        putPart(history, "", epoch.train);
        if (epoch.hasValidation) putPart(history, "val_", epoch.validation);
    }
    for (auto& [name, column] : history.values)
        column.resize(history.epochs.size(), std::numeric_limits<double>::quiet_NaN());
    const text::Json summary =
        text::parseJson(result.summaryJson, kMostSummaryBytes).value_or(text::Json());
    history.status = result.status;
    history.stoppedEarlyAtEpoch = summary.get<int>("stopped_early_at_epoch").value_or(0);
    history.stoppedBecause = summary.get<std::string>("stopped_early_because").value_or("");
    history.steps = result.steps;
    history.stateHash = result.stateHash;
    history.runFolder = result.runFolder;
    return history;
}

}  // namespace lockstep::fit
