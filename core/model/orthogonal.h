// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "core/base/rng.h"

namespace lockstep::model {

/// A matrix [rows, columns] drawn evenly of all whose rows, or columns if these are fewer, have a
/// length of one and stand at right angles to each other. Products and square roots alone, in one
/// order: the same bits on every machine.
void fillOrthogonal(std::span<float> values, std::size_t rows, std::size_t columns,
                    CounterRng& rng);

}  // namespace lockstep::model
