// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/data/dataset.h"

namespace lockstep::train {

/// Inputs of samples, as they are stored, to the floats that a network gets. As many floats as
/// there are numbers in `stored`, which need not be aligned.
void fillFloats(data::InputKind kind, std::span<const std::uint8_t> stored,
                std::span<float> floats);

}  // namespace lockstep::train
