// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/model/graph.h"

namespace lockstep::model {

/// Writes the tensor's initial values, tensor.size() floats. They are a function of the tensor's
/// shape and initializer and of the seed alone, with the same bits on every machine.
void initialise(const Tensor& tensor, std::uint64_t seed, std::span<float> values);

}  // namespace lockstep::model
