// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/collective/communicator.h"

namespace lockstep::collective {

/// Rows to be added, as lists per host: first the rows of a host in order, then the hosts' sums in
/// order. The one place that knows the order of summation.
using HostRows = std::vector<std::vector<const float*>>;

/// `sum[i] = (h0r0[i] + h0r1[i] + …) + (h1r0[i] + …) + …` for i below `count`, left to right.
/// `sum` overlaps no row. Every host has at least one row, and there is at least one host.
void sumRows(float* sum, const HostRows& hosts, std::size_t count);

/// Part `index` of `count` of a bucket: contiguous, in order, and cut at multiples of 16 elements
/// of the whole buffer, so that no two owners write the same cache line. May be empty.
[[nodiscard]] Range shareOf(Range bucket, int index, int count);

/// The field-wise sum in order, from zero.
[[nodiscard]] StepVotes sumVotes(std::span<const StepVotes> votes);

}  // namespace lockstep::collective
