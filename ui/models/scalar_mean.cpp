// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/scalar_mean.h"

#include <cmath>
#include <limits>

namespace lockstep::ui {

std::optional<ScalarMean::Point> ScalarMean::add(int replica, int replicas, std::int64_t step,
                                                 double value) {
    const auto [entry, isNew] = waiting_.try_emplace(step);
    entry->second[replica] = value;
    if (int(entry->second.size()) < replicas) {
        if (waiting_.size() > kMostWaiting) waiting_.erase(waiting_.begin());
        return std::nullopt;
    }
    double sum = 0;
    int count = 0;
    for (const auto& [who, said] : entry->second) {
        if (!std::isfinite(said)) continue;
        sum += said;
        ++count;
    }
    waiting_.erase(entry);
    return Point{step, count > 0 ? float(sum / count) : std::numeric_limits<float>::quiet_NaN()};
}

}  // namespace lockstep::ui
