// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/scalar_series.h"

#include <algorithm>

namespace lockstep::telemetry {

namespace {

bool isKnownId(std::uint32_t id) {
    return id > 0 && id <= kMaxSeries;
}

bool isEven(const wire::ScalarColumn& column) {
    const int count = column.values_size();
    return isKnownId(column.id()) && count > 0 && column.steps_size() == count &&
           column.after_seconds_size() == count &&
           std::ranges::all_of(column.steps(),
                               [](std::uint64_t step) { return step <= kMaxScalarStep; });
}

}  // namespace

bool isWellFormed(const wire::ScalarSeries& series) {
    return isKnownId(series.id()) && series.replica() >= kWholeJob && !series.name().empty() &&
           series.name().size() <= kMaxSeriesNameBytes &&
           series.unit().size() <= kMaxSeriesUnitBytes;
}

bool isWellFormed(const wire::ScalarBatch& batch) {
    return batch.replica() >= kWholeJob && batch.columns_size() > 0 &&
           std::ranges::all_of(batch.columns(), isEven);
}

void SeriesBook::add(const wire::ScalarSeries& series) {
    series_[{series.role(), series.replica(), series.id()}] = {series.name(), series.unit()};
}

const SeriesBook::Series* SeriesBook::find(wire::Role role, int replica, std::uint32_t id) const {
    const auto found = series_.find({role, replica, id});
    return found == series_.end() ? nullptr : &found->second;
}

}  // namespace lockstep::telemetry
