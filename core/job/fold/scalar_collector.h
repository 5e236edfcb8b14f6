// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/job/fold/session.h"
#include "core/telemetry/scalar_series.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::job {

/// Gathers the values of named figures, a column for each name, replica and start, until somebody
/// takes them. Passes over records that are not well formed.
class ScalarCollector {
public:
    void add(const wire::ScalarSeries& series);
    /// Returns how many values have no name: the record that registered it is lost.
    std::size_t add(const wire::ScalarBatch& batch, int start);
    /// The run goes on behind `step`: what evaluators said of later ones is said anew.
    void goBack(std::int64_t step);
    [[nodiscard]] std::vector<ScalarColumns> take();
    /// Values waiting to be taken.
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    [[nodiscard]] ScalarColumns& columnsOf(const telemetry::SeriesBook::Series& series, int replica,
                                           int start);

    struct Value {
        double wallTime = 0;
        double value = 0;
    };
    void addOrdered(const telemetry::SeriesBook::Series& series, const wire::ScalarColumn& column,
                    int start);

    telemetry::SeriesBook book_;
    /// Of evaluators, by name and step: several of them do not tell in the order of steps.
    std::map<std::string, std::map<std::int64_t, Value>> evaluated_;
    std::vector<ScalarColumns> columns_;  // in order of their first arrival
    std::map<std::tuple<std::string, int, int>, std::size_t> indexOf_;  // name, replica, start
    std::size_t size_ = 0;
};

}  // namespace lockstep::job
