// SPDX-License-Identifier: Apache-2.0
#include "core/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lockstep::optim {
namespace {

constexpr double kLn2 = std::numbers::ln2;

/// 1 + x/(a·b)·(1 + …) from the innermost term: Taylor's series of cos and sin, for |x| <= pi/4.
double cosNearZero(double x) {
    double sum = 1;
    for (int n = 20; n >= 2; n -= 2)
        sum = 1 - x * x / (n * (n - 1)) * sum;
    return sum;
}

double sinNearZero(double x) {
    double sum = 1;
    for (int n = 21; n >= 3; n -= 2)
        sum = 1 - x * x / (n * (n - 1)) * sum;
    return x * sum;
}

/// ln(x) = 2 artanh((m - 1) / (m + 1)) + e ln 2, where x = m 2^e and m is near 1.
double naturalLog(double x) {
    int exponent = 0;
    double mantissa = std::frexp(x, &exponent);
    if (mantissa < std::numbers::sqrt2 / 2) {
        mantissa *= 2;
        --exponent;
    }
    const double s = (mantissa - 1) / (mantissa + 1);
    double sum = 0;
    for (int n = 25; n >= 1; n -= 2)
        sum = sum * (s * s) + 1.0 / n;
    return 2 * s * sum + exponent * kLn2;
}

double exponentialOf(double x) {
    if (x < -740) return 0;  // less than the smallest number
    const double twos = std::floor(x / kLn2 + 0.5);
    const double rest = x - twos * kLn2;
    double sum = 1;
    for (int n = 18; n >= 1; --n)
        sum = 1 + rest / n * sum;
    return std::ldexp(sum, static_cast<int>(twos));
}

double stepsOf(std::int64_t steps, double epochs, std::int64_t stepsPerEpoch) {
    if (steps > 0 || epochs == 0) return static_cast<double>(steps);
    return std::max(1.0, std::round(epochs * static_cast<double>(stepsPerEpoch)));
}

}  // namespace

double cosOfPi(double x) {
    constexpr double kPi = std::numbers::pi;
    if (x > 0.5) return -cosOfPi(1 - x);
    return x <= 0.25 ? cosNearZero(kPi * x) : sinNearZero(kPi * (0.5 - x));
}

double realPower(double base, double exponent) {
    if (exponent == 0) return 1;
    if (base == 0) return 0;
    if (exponent == 1) return base;
    return exponentialOf(exponent * naturalLog(base));
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
