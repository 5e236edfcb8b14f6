// SPDX-License-Identifier: Apache-2.0
#include "core/optim/schedule.h"

#include <algorithm>
#include <cmath>

#include "core/base/plain_math.h"

namespace lockstep::optim {
namespace {

double stepsOf(std::int64_t steps, double epochs, std::int64_t stepsPerEpoch) {
    if (steps > 0 || epochs == 0) return static_cast<double>(steps);
    return std::max(1.0, std::round(epochs * static_cast<double>(stepsPerEpoch)));
}

}  // namespace

double realPower(double base, double exponent) {
    if (exponent == 0) return 1;
    if (base == 0) return 0;
    if (exponent == 1) return base;
    return exponential(exponent * naturalLog(base));
}

Schedule::Schedule(const config::TrainingSpec& training, std::int64_t stepsPerEpoch)
    : spec_(training.schedule),
      initial_(spec_.kind == config::ScheduleKind::Constant
                   ? training.learningRate
                   : spec_.initialLearningRate.value_or(training.learningRate)),
      decaySteps_(std::max(1.0, stepsOf(spec_.decaySteps, spec_.decayEpochs, stepsPerEpoch))),
      warmupSteps_(
          spec_.warmupTarget ? stepsOf(spec_.warmupSteps, spec_.warmupEpochs, stepsPerEpoch) : 0) {}

double Schedule::rateAt(std::int64_t step) const {
    const auto iteration = static_cast<double>(step - 1);
    switch (spec_.kind) {
        case config::ScheduleKind::Constant:
        case config::ScheduleKind::ReduceOnPlateau:  // whose reductions the epochs' results decide
            break;
        case config::ScheduleKind::Cosine:
            return cosine(iteration);
        case config::ScheduleKind::Exponential:
            return exponential(iteration);
        case config::ScheduleKind::Piecewise:
            return piecewise(iteration);
        case config::ScheduleKind::Polynomial:
            return polynomial(iteration);
    }
    return initial_;
}

/// Up to the target first, then down from it.
double Schedule::cosine(double iteration) const {
    const double top = spec_.warmupTarget.value_or(initial_);
    if (iteration < warmupSteps_) return (top - initial_) * (iteration / warmupSteps_) + initial_;
    const double done = std::min((iteration - warmupSteps_) / decaySteps_, 1.0);
    return top * ((1 - spec_.alpha) * (0.5 * (1 + cosOfPi(done))) + spec_.alpha);
}

double Schedule::exponential(double iteration) const {
    const double periods = iteration / decaySteps_;
    return initial_ * realPower(spec_.decayRate, spec_.staircase ? std::floor(periods) : periods);
}

double Schedule::piecewise(double iteration) const {
    const auto& cuts = spec_.boundaries;
    const auto place = std::ranges::lower_bound(cuts, iteration) - cuts.begin();
    return spec_.values[static_cast<std::size_t>(place)];
}

double Schedule::polynomial(double iteration) const {
    const double rounds = std::max(1.0, std::ceil(iteration / decaySteps_));
    const double length = spec_.cycle ? decaySteps_ * rounds : decaySteps_;
    const double left = 1 - std::min(iteration, length) / length;
    return (initial_ - spec_.endLearningRate) * realPower(left, spec_.power) +
           spec_.endLearningRate;
}

}  // namespace lockstep::optim
