// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/tensor/matrix.h"

namespace lockstep::tensor {

/// y[i] = row rows[i] of the table, which has to have it.
void embedding(ConstMatrix table, std::span<const std::int32_t> rows, Matrix y);
/// Adds each dy[i] to row rows[i] of dTable, in order of i; sets all else to 0 first unless `adds`.
void embeddingGradient(std::span<const std::int32_t> rows, ConstMatrix dy, Matrix dTable,
                       bool adds = false);

/// y = x + table: x and y [batch, positions * width], the table [positions, width]. y may be x.
void positionEmbedding(ConstMatrix x, ConstMatrix table, Matrix y);
/// dTable = sums of dy over the batch, in blocks of samples.
void positionEmbeddingGradient(ConstMatrix dy, Matrix dTable);

}  // namespace lockstep::tensor
