// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/dropout.h"

#include "core/base/check.h"
#include "core/tensor/cpu/layers/dropout_loops.h"

namespace lockstep::tensor {
namespace {

LS_LOOP void unitsLoop(dropout_loops::Draw draw, std::uint64_t firstUnit, const float* x, float* y,
                       std::size_t count) {
    dropout_loops::applyUnits(draw, firstUnit, x, y, count);
}

}  // namespace

void dropout(const DropoutKey& key, std::uint64_t firstPlace, ConstMatrix x, Matrix y,
             VectorIsa isa) {
    LS_CHECK(x.rows == y.rows && x.columns == y.columns, "y must be shaped as x");
    for (std::size_t r = 0; r < x.rows; ++r)
        dropoutUnits(key, firstPlace + r, 0, x.row(r), y.row(r), isa);
}

void dropoutUnits(const DropoutKey& key, std::uint64_t place, std::uint64_t firstUnit,
                  std::span<const float> x, std::span<float> y, VectorIsa isa) {
    LS_CHECK(x.size() == y.size(), "operands must be of one size");
    LS_CHECK(key.rate >= 0.0F && key.rate < 1.0F, "a rate of dropout lies in [0, 1)");
    runLoop<unitsLoop>(isa, dropout_loops::drawOf(key, place), firstUnit, x.data(), y.data(),
                       y.size());
}

}  // namespace lockstep::tensor
