// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/launch/doctor/faults/examination.h"

namespace lockstep::launch {

/// About how much memory a host's part of the job takes: weights, gradients, optimiser state,
/// data and the programs themselves. Bytes.
[[nodiscard]] std::uint64_t memoryNeedOf(const Examination& all, const ExaminedHost& host);

/// About how much room the run folder takes: its checkpoints and some steps' records. Bytes.
[[nodiscard]] std::uint64_t diskNeedOf(const Examination& all);

}  // namespace lockstep::launch
