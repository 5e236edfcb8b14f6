// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "core/base/result.h"

namespace lockstep::data {

/// How far the reading of a data set is.
struct LoadProgress {
    enum class Unit : std::uint8_t { Images, Bytes };
    Unit unit = Unit::Bytes;
    std::uint64_t done = 0;
    std::uint64_t all = 0;  ///< 0: not known.
};

/// Whoever waits for a data set to be read: is told how far it is, from whatever thread reads, and
/// may wait no longer. The default wants it whole and is told nothing.
struct LoadWatch {
    std::stop_token stop{};
    std::function<void(const LoadProgress&)> tell{};

    /// Cancelled once nobody waits any more.
    [[nodiscard]] Result<void> stillWanted() const {
        if (!stop.stop_requested()) return {};
        return fail(ErrorCode::Cancelled, "reading the data was stopped", "Read them again.");
    }
    void report(const LoadProgress& progress) const {
        if (tell) tell(progress);
    }
};

}  // namespace lockstep::data
