// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace lockstep::ui {

/// The mean over all replicas of a named figure, which comes at steps of its own: of every step
/// that all of them have said. Values that are not finite do not hide the others'.
class ScalarMean {
public:
    struct Point {
        std::int64_t step = 0;
        float value = 0;
    };

    /// What one replica says; the mean of that step once `replicas` of them have said it. A step
    /// that is said again (after a restart from a checkpoint) counts anew.
    [[nodiscard]] std::optional<Point> add(int replica, int replicas, std::int64_t step,
                                           double value);

private:
    /// Of steps that some have not said yet; a replica that never does costs no more than this.
    static constexpr std::size_t kMostWaiting = 4096;
    std::map<std::int64_t, std::map<int, double>> waiting_;  // by step, replica
};

}  // namespace lockstep::ui
