// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace lockstep::telemetry {

/// Appends `value` with nine significant digits, as printf's %.9g: they tell any two floats apart.
/// Many times faster for what losses and times are like.
void appendNineDigits(double value, std::string& text);

}  // namespace lockstep::telemetry
