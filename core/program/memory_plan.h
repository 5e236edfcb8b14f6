// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/program/program.h"

namespace lockstep::program {

/// Gives every value of the program its place in the arena: two values share memory where no
/// instruction needs both. Values begin at multiples of 16 floats. First fit over the values by
/// size, the largest first, so that a plan depends on the program alone.
void planMemory(Program& program);

}  // namespace lockstep::program
