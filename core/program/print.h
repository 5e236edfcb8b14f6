// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/program/instruction_times.h"
#include "core/program/program.h"

namespace lockstep::program {

/// The program as text, a line an instruction: what it computes, of which layer, from which values
/// to which.
[[nodiscard]] std::string toText(const Program& program);
/// The same with what each instruction took: milliseconds a step, and its share of all.
[[nodiscard]] std::string toText(const Program& program, const InstructionTimes& times);

}  // namespace lockstep::program
