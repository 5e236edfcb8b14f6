// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace lockstep::train {

/// Loss, hits and metrics over samples, as sums: parts add up. Without samples the means are NaN:
/// an epoch whose every step was left out has no loss, least of all a perfect one.
struct SplitScore {
    double lossSum = 0;
    double correct = 0;             ///< NaN where nothing is right or wrong: numbers.
    double samples = 0;             ///< That count: positions of text, without ignored classes.
    double rows = 0;                ///< Samples that were gone through, whether they count or not.
    std::vector<double> metrics{};  ///< Sums of a MetricSet; empty: it has none, or nothing yet.

    [[nodiscard]] double loss() const { return mean(lossSum); }
    [[nodiscard]] double accuracy() const { return mean(correct); }
    void add(const SplitScore& other) {
        lossSum += other.lossSum;
        correct += other.correct;
        samples += other.samples;
        rows += other.rows;
        if (metrics.size() < other.metrics.size()) metrics.resize(other.metrics.size());
        for (std::size_t i = 0; i < other.metrics.size(); ++i)
            metrics[i] += other.metrics[i];
    }

private:
    [[nodiscard]] double mean(double sum) const {
        return samples > 0 ? sum / samples : std::numeric_limits<double>::quiet_NaN();
    }
};

}  // namespace lockstep::train
