// SPDX-License-Identifier: Apache-2.0
#include "core/job/fold/scalar_collector.h"

namespace lockstep::job {

void ScalarCollector::add(const wire::ScalarSeries& series) {
    if (telemetry::isWellFormed(series)) book_.add(series);
}

std::size_t ScalarCollector::add(const wire::ScalarBatch& batch, int start) {
    std::size_t nameless = 0;
    if (!telemetry::isWellFormed(batch)) return nameless;
    for (const wire::ScalarColumn& column : batch.columns()) {
        const auto* series = book_.find(batch.role(), batch.replica(), column.id());
        const auto count = static_cast<std::size_t>(column.values_size());
        if (series == nullptr) {
            nameless += count;
            continue;
        }
        if (batch.role() == wire::ROLE_EVALUATOR) {
            addOrdered(*series, column, start);
            continue;
        }
        ScalarColumns& columns = columnsOf(*series, batch.replica(), start);
        columns.steps.insert(columns.steps.end(), column.steps().begin(), column.steps().end());
        for (const float seconds : column.after_seconds())
            columns.wallTimes.push_back(column.first_wall_time() + double{seconds});
        columns.values.insert(columns.values.end(), column.values().begin(), column.values().end());
        size_ += count;
    }
    return nameless;
}

/// A step at or before an earlier one replaces what followed (ScalarColumns), so what follows one
/// that comes late is given once more.
void ScalarCollector::addOrdered(const telemetry::SeriesBook::Series& series,
                                 const wire::ScalarColumn& column, int start) {
    std::map<std::int64_t, Value>& known = evaluated_[series.name];
    ScalarColumns& columns = columnsOf(series, telemetry::kWholeJob, start);
    for (int i = 0; i < column.values_size(); ++i) {
        const auto step = static_cast<std::int64_t>(column.steps(i));
        known[step] = {column.first_wall_time() + double{column.after_seconds(i)},
                       column.values(i)};
        for (auto value = known.find(step); value != known.end(); ++value) {
            columns.steps.push_back(value->first);
            columns.wallTimes.push_back(value->second.wallTime);
            columns.values.push_back(value->second.value);
            ++size_;
        }
    }
}

void ScalarCollector::goBack(std::int64_t step) {
    for (auto& [name, values] : evaluated_)
        values.erase(values.upper_bound(step), values.end());
}

ScalarColumns& ScalarCollector::columnsOf(const telemetry::SeriesBook::Series& series, int replica,
                                          int start) {
    const auto [known, isNew] =
        indexOf_.try_emplace({series.name, replica, start}, columns_.size());
    if (isNew) columns_.push_back({series.name, series.unit, replica, start, {}, {}, {}});
    return columns_[known->second];
}

std::vector<ScalarColumns> ScalarCollector::take() {
    indexOf_.clear();
    size_ = 0;
    return std::exchange(columns_, {});
}

}  // namespace lockstep::job
