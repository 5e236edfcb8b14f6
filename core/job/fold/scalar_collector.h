// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/job/fold/session.h"
#include "core/telemetry/scalar_series.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::job {

/// Gathers the values of named figures, a column for each name and replica, until somebody takes
/// them. Passes over records that are not well formed.
class ScalarCollector {
public:
    void add(const wire::ScalarSeries& series);
    /// Returns how many values have no name: the record that registered it is lost.
    std::size_t add(const wire::ScalarBatch& batch);
    [[nodiscard]] std::vector<ScalarColumns> take();
    /// Values waiting to be taken.
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    [[nodiscard]] ScalarColumns& columnsOf(const telemetry::SeriesBook::Series& series,
                                           int replica);

    telemetry::SeriesBook book_;
    std::vector<ScalarColumns> columns_;  // in order of their first arrival
    std::map<std::pair<std::string, int>, std::size_t> indexOf_;
    std::size_t size_ = 0;
};

}  // namespace lockstep::job
