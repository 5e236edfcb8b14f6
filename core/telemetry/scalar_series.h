// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "core/wire/messages/record.pb.h"

namespace lockstep::telemetry {

inline constexpr std::size_t kMaxSeriesNameBytes = 120;
inline constexpr std::size_t kMaxSeriesUnitBytes = 24;
inline constexpr std::uint32_t kMaxSeries = 256;  ///< Of a replica, and of the job.
inline constexpr std::uint64_t kMaxScalarStep = std::uint64_t{1} << 53;
inline constexpr int kWholeJob = -1;  ///< In place of a replica.

/// Whether readers may trust lengths, ids and steps.
[[nodiscard]] bool isWellFormed(const wire::ScalarSeries& series);
[[nodiscard]] bool isWellFormed(const wire::ScalarBatch& batch);

/// What the ids in a run's records mean, as one reads them in order.
class SeriesBook {
public:
    struct Series {
        std::string name;
        std::string unit;
    };

    /// A later one of the same id replaces the former: its sender has begun anew.
    void add(const wire::ScalarSeries& series);
    /// Null when nobody registered it. Stays valid until the next `add`.
    [[nodiscard]] const Series* find(wire::Role role, int replica, std::uint32_t id) const;

private:
    std::map<std::tuple<int, int, std::uint32_t>, Series> series_;  // by role, replica, id
};

}  // namespace lockstep::telemetry
