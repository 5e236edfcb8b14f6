// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/result.h"

namespace lockstep::data {

/// Of `samples`, how many validate: the nearest whole number, at least one where `share` is above
/// 0. BadInput where none would be left to train on.
[[nodiscard]] Result<std::uint32_t> validationCount(std::uint32_t samples, double share);

}  // namespace lockstep::data
