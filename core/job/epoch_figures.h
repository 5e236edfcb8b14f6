// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep::wire {
class EpochResult;
}

namespace lockstep::job {

/// What an epoch came to over all replicas: a line of epochs.csv. Numbers that nobody knows are
/// NaN: an accuracy where nothing is right or wrong.
struct EpochFigures {
    struct Part {
        double loss = std::numeric_limits<double>::quiet_NaN();      ///< Mean over the samples.
        double accuracy = std::numeric_limits<double>::quiet_NaN();  ///< 0 to 1.
        std::map<std::string, double> metrics{};  ///< Those of training.metrics, by name.
    };
    int epoch = 0;          ///< From 1.
    std::int64_t step = 0;  ///< At its end, from the run's beginning.
    Part train{};           ///< As the steps went: with the weights before each of them.
    bool hasValidation = false;
    Part validation{};   ///< With the weights at its end.
    double seconds = 0;  ///< With its validation.
};

[[nodiscard]] EpochFigures figuresOf(const wire::EpochResult& result);

/// As one process tells them to another: in parts of at most `mostBytes`, but for an epoch that
/// alone takes more.
[[nodiscard]] std::vector<std::string> encodeFigures(const std::vector<EpochFigures>& epochs,
                                                     std::size_t mostBytes);
/// Of one part. Corrupt for what encodeFigures() does not write.
[[nodiscard]] Result<std::vector<EpochFigures>> parseFigures(const std::string& text);

}  // namespace lockstep::job
