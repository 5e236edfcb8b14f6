// SPDX-License-Identifier: Apache-2.0
#include "core/job/fold/scalar_collector.h"

namespace lockstep::job {

void ScalarCollector::add(const wire::ScalarSeries& series) {
    if (telemetry::isWellFormed(series)) book_.add(series);
}

std::size_t ScalarCollector::add(const wire::ScalarBatch& batch) {
    std::size_t nameless = 0;
    if (!telemetry::isWellFormed(batch)) return nameless;
    for (const wire::ScalarColumn& column : batch.columns()) {
        const auto* series = book_.find(batch.role(), batch.replica(), column.id());
        const auto count = static_cast<std::size_t>(column.values_size());
        if (series == nullptr) {
            nameless += count;
            continue;
        }
        ScalarColumns& columns = columnsOf(*series, batch.replica());
        columns.steps.insert(columns.steps.end(), column.steps().begin(), column.steps().end());
        for (const float seconds : column.after_seconds())
            columns.wallTimes.push_back(column.first_wall_time() + double{seconds});
        columns.values.insert(columns.values.end(), column.values().begin(), column.values().end());
        size_ += count;
    }
    return nameless;
}

ScalarColumns& ScalarCollector::columnsOf(const telemetry::SeriesBook::Series& series,
                                          int replica) {
    const auto [known, isNew] = indexOf_.try_emplace({series.name, replica}, columns_.size());
    if (isNew) columns_.push_back({series.name, series.unit, replica, {}, {}, {}});
    return columns_[known->second];
}

std::vector<ScalarColumns> ScalarCollector::take() {
    indexOf_.clear();
    size_ = 0;
    return std::exchange(columns_, {});
}

}  // namespace lockstep::job
