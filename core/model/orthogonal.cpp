// SPDX-License-Identifier: Apache-2.0
#include "core/model/orthogonal.h"

#include <array>
#include <cmath>
#include <vector>

namespace lockstep::model {

namespace {

/// exp(-x) for x from 0 on: the series where it is short, squared until it is that of x.
double decay(double x) {
    constexpr int kTerms = 14;
    constexpr double kShort = 0.5;
    int squares = 0;
    for (; x > kShort; x /= 2)
        ++squares;
    double sum = 1;
    for (int i = kTerms; i > 0; --i)
        sum = 1 - x / i * sum;
    for (; squares > 0; --squares)
        sum *= sum;
    return sum;
}

/// Standard normal, as the ratio of two uniform numbers (Kinderman and Monahan, 1977).
double normal(CounterRng& rng) {
    constexpr double kHalfRange = 0.85776388496070680;  // sqrt(2 / e)
    constexpr double kBeyond = 100;                     // squared: less likely than 1e-22
    for (;;) {
        const double u = 1.0 - static_cast<double>(rng.nextFloat());  // above 0
        const double v = kHalfRange * (2.0 * static_cast<double>(rng.nextFloat()) - 1.0);
        const double x = v / u;
        if (x * x < kBeyond && u <= decay(x * x / 4)) return x;
    }
}

/// Sums in as many lanes as a compiler fills vectors with, always the same ones.
double dot(std::span<const double> a, std::span<const double> b) {
    constexpr std::size_t kLanes = 8;
    std::array<double, kLanes> sums{};
    std::size_t i = 0;
    for (; i + kLanes <= a.size(); i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            sums[lane] += a[i + lane] * b[i + lane];
    for (; i < a.size(); ++i)
        sums[0] += a[i] * b[i];
    double sum = 0;
    for (const double lane : sums)
        sum += lane;
    return sum;
}

void makeUnit(std::span<double> vector) {
    const double length = std::sqrt(dot(vector, vector));
    for (double& number : vector)
        number /= length;
}

}  // namespace

/// By Gram and Schmidt, whose factor has a positive diagonal: what Keras makes of its QR by signs.
void fillOrthogonal(std::span<float> values, std::size_t rows, std::size_t columns,
                    CounterRng& rng) {
    const bool hasMoreRows = rows > columns;
    const std::size_t count = hasMoreRows ? columns : rows;
    const std::size_t length = hasMoreRows ? rows : columns;
    std::vector<double> all(count * length);
    for (double& number : all)
        number = normal(rng);
    const auto vector = [&](std::size_t i) { return std::span(all).subspan(i * length, length); };
    for (std::size_t i = 0; i < count; ++i) {
        makeUnit(vector(i));
        for (std::size_t later = i + 1; later < count; ++later) {
            const double share = dot(vector(i), vector(later));
            for (std::size_t k = 0; k < length; ++k)
                vector(later)[k] -= share * vector(i)[k];
        }
    }
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < length; ++k)
            values[hasMoreRows ? k * columns + i : i * columns + k] =
                static_cast<float>(vector(i)[k]);
}

}  // namespace lockstep::model
