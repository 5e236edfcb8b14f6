// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/config/job/job_spec.h"

namespace lockstep::optim {

/// The learning rate of each step, as Keras' schedules define it: a function of the step alone, so
/// that a run that is resumed goes on exactly. Computed in float64 from sums, products, quotients
/// and square roots, which IEEE 754 rounds alike everywhere, never by a library's cos or pow: the
/// same bits on every processor.
class Schedule {
public:
    /// `stepsPerEpoch` turns lengths in epochs into steps, of which there is at least one.
    Schedule(const config::TrainingSpec& training, std::int64_t stepsPerEpoch);

    /// `step` counts from 1; the first is Keras' iteration 0.
    [[nodiscard]] double rateAt(std::int64_t step) const;

private:
    [[nodiscard]] double cosine(double iteration) const;
    [[nodiscard]] double exponential(double iteration) const;
    [[nodiscard]] double piecewise(double iteration) const;
    [[nodiscard]] double polynomial(double iteration) const;

    config::ScheduleSpec spec_;
    double initial_;
    double decaySteps_;
    double warmupSteps_;
};

/// base^exponent, for base from 0 and any exponent from 0; as the functions of plain_math.h.
[[nodiscard]] double realPower(double base, double exponent);

}  // namespace lockstep::optim
