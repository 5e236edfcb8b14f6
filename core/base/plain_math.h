// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lockstep {

// Functions of doubles from sums, products and quotients alone, which every processor rounds alike:
// those of the system's library may differ in the last bit, and with it what is drawn or learnt.
// Within some 1e-15 of the true value.

/// cos(pi x) for 0 <= x <= 1.
[[nodiscard]] double cosOfPi(double x);
/// sin(pi x) for 0 <= x <= 1.
[[nodiscard]] double sinOfPi(double x);
/// ln(x) of a positive x.
[[nodiscard]] double naturalLog(double x);
/// e^x for x up to 700; 0 below -740.
[[nodiscard]] double exponential(double x);
/// The share of a normal distribution (mean 0, deviation 1) that lies below x, for |x| <= 8.
[[nodiscard]] double normalShareBelow(double x);

}  // namespace lockstep
