// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/data/batch_maker.h"

namespace lockstep::data {

/// What a replica's part of a batch holds, as a number: inputs as they reach the network (images
/// after augmentation), targets and shares, each sample with its place in the step. Parts add up,
/// modulo 2^64: the sum over all replicas is the same however a batch is divided among them, and
/// another one as soon as a byte or a place differs. `firstPlace`: BatchPlan::placeInStep().
[[nodiscard]] std::uint64_t batchSum(const Batch& batch, const Split& split,
                                     std::uint32_t firstPlace);

}  // namespace lockstep::data
