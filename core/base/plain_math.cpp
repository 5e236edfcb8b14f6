// SPDX-License-Identifier: Apache-2.0
#include "core/base/plain_math.h"

#include <cmath>
#include <numbers>

namespace lockstep {

namespace {

constexpr double kPi = std::numbers::pi;
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

}  // namespace

double cosOfPi(double x) {
    if (x > 0.5) return -cosOfPi(1 - x);
    return x <= 0.25 ? cosNearZero(kPi * x) : sinNearZero(kPi * (0.5 - x));
}

double sinOfPi(double x) {
    if (x > 0.5) return sinOfPi(1 - x);
    return x <= 0.25 ? sinNearZero(kPi * x) : cosNearZero(kPi * (0.5 - x));
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

double exponential(double x) {
    if (x < -740) return 0;  // less than the smallest number
    const double twos = std::floor(x / kLn2 + 0.5);
    const double rest = x - twos * kLn2;
    double sum = 1;
    for (int n = 18; n >= 1; --n)
        sum = 1 + rest / n * sum;
    return std::ldexp(sum, static_cast<int>(twos));
}

/// 1/2 + density(x) (x + x^3 / 3 + x^5 / (3·5) + …), whose terms are all of one sign.
double normalShareBelow(double x) {
    double term = x;
    double sum = x;
    for (int n = 3; n < 400 && std::abs(term) > 1e-18; n += 2)
        sum += term *= x * x / n;
    return 0.5 + sum * exponential(-x * x / 2) / std::sqrt(2 * kPi);
}

}  // namespace lockstep
