// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace lockstep::data {

/// A place on paper: x grows to the right, y downwards; a digit fills about [0, 1] x [0, 1].
struct PenPoint {
    float x = 0;
    float y = 0;
};

/// A movement of the pen through control points, smoothed by a spline; it never leaves the paper.
using PenStroke = std::vector<PenPoint>;
/// One way to write one digit.
using DigitForm = std::vector<PenStroke>;

/// The ways people write `digit` (0 to 9), by frequency: the earlier ones are more common.
[[nodiscard]] std::span<const DigitForm> digitForms(int digit);

}  // namespace lockstep::data
