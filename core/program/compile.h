// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/model/graph.h"
#include "core/program/program.h"

namespace lockstep::program {

/// The instructions of one step of a network on up to `maxBatch` samples, their memory planned.
/// For Evaluation the forward pass alone, with running statistics and without dropout.
[[nodiscard]] Program compile(const model::Graph& graph, std::int64_t maxBatch, Program::Mode mode);

}  // namespace lockstep::program
