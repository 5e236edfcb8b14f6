// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/embedding.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/tensor/cpu/kernels.h"
#include "core/tensor/cpu/layers/elementwise.h"

namespace lockstep::tensor {
namespace {

std::size_t checkedRow(std::int32_t row, std::size_t rows) {
    LS_CHECK(row >= 0 && static_cast<std::size_t>(row) < rows,
             "an index lies beyond the table of an embedding");
    return static_cast<std::size_t>(row);
}

}  // namespace

void embedding(ConstMatrix table, std::span<const std::int32_t> rows, Matrix y) {
    LS_CHECK(y.rows == rows.size() && y.columns == table.columns,
             "a result for each index is needed");
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::ranges::copy(table.row(checkedRow(rows[i], table.rows)), y.row(i).begin());
}

void embeddingGradient(std::span<const std::int32_t> rows, ConstMatrix dy, Matrix dTable,
                       bool adds) {
    LS_CHECK(dy.rows == rows.size() && dy.columns == dTable.columns,
             "a gradient for each index is needed");
    if (!adds) std::ranges::fill(dTable.flat(), 0.0F);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::span<float> to = dTable.row(checkedRow(rows[i], dTable.rows));
        add(to, dy.row(i), to);
    }
}

void positionEmbedding(ConstMatrix x, ConstMatrix table, Matrix y) {
    LS_CHECK(x.columns == table.size() && x.rows == y.rows && x.columns == y.columns,
             "a row of the table for each position is needed");
    for (std::size_t r = 0; r < x.rows; ++r)
        add(x.row(r), table.flat(), y.row(r));
}

void positionEmbeddingGradient(ConstMatrix dy, Matrix dTable) {
    LS_CHECK(dy.columns == dTable.size(), "a row of the table for each position is needed");
    bestKernels().columnSums(dy.data, dy.rows, dy.columns, dTable.data);
}

}  // namespace lockstep::tensor
