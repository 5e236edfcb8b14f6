// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor/matrix.h"

namespace lockstep::tensor {

// Matrix products on the calling thread alone: a library that shares one sum out to several
// threads would make results depend on their number. The operands must not overlap.

/// c = a b: a [m, k], b [k, n], c [m, n].
void multiply(ConstMatrix a, ConstMatrix b, Matrix c);
/// c = a bᵀ: a [m, k], b [n, k], c [m, n].
void multiplyByTransposed(ConstMatrix a, ConstMatrix b, Matrix c);
/// c = aᵀ b: a [k, m], b [k, n], c [m, n]; zero for k = 0.
void multiplyTransposedBy(ConstMatrix a, ConstMatrix b, Matrix c);

}  // namespace lockstep::tensor
