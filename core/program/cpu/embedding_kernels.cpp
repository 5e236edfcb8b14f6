// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <variant>

#include "core/base/check.h"
#include "core/program/cpu/kernels.h"
#include "core/tensor/cpu/layers/embedding.h"

namespace lockstep::program {

namespace {

/// A table of `rows` x `width` in the flat buffers.
struct Table {
    explicit Table(const KernelSource& source)
        : rows(static_cast<std::size_t>(source.tensor(0).shape[0])),
          width(static_cast<std::size_t>(source.tensor(0).shape[1])),
          offset(source.offset(0)) {}

    [[nodiscard]] tensor::ConstMatrix weight(const Frame& frame) const {
        return {frame.parameters + offset, rows, width};
    }
    [[nodiscard]] tensor::Matrix gradient(const Frame& frame) const {
        return {frame.gradients + offset, rows, width};
    }

    std::size_t rows;
    std::size_t width;
    std::size_t offset;
};

/// Whole numbers travel as floats, which hold them exactly up to 2^24; a table has fewer rows.
class Indices {
public:
    std::span<const std::int32_t> of(const Frame& frame, const Place& x, std::size_t rows) {
        const float* values = x.read(frame);
        numbers_.resize(x.size(frame));
        std::transform(values, values + numbers_.size(), numbers_.begin(), [rows](float value) {
            LS_CHECK(value >= 0 && value < static_cast<float>(rows),
                     "the data was checked against the vocabulary");
            return static_cast<std::int32_t>(value);
        });
        return numbers_;
    }

private:
    std::vector<std::int32_t> numbers_;
};

Kernel makeTableKernel(const KernelSource& source) {
    const Table table(source);
    if (source.action() == Action::Forward)
        return [table, x = source.read(0), y = source.write(),
                indices = Indices()](const Frame& frame) mutable {
            const auto rows = indices.of(frame, x, table.rows);
            tensor::embedding(table.weight(frame), rows,
                              {y.write(frame), rows.size(), table.width});
        };
    return [table, x = source.read(0), dy = source.read(1), adds = source.instruction().adds,
            indices = Indices()](const Frame& frame) mutable {
        const auto rows = indices.of(frame, x, table.rows);
        tensor::embeddingGradient(rows, {dy.read(frame), rows.size(), table.width},
                                  table.gradient(frame), adds);
    };
}

/// A table may have more rows than there are positions: the first ones are read, the others have
/// no gradient.
Kernel makePositionKernel(const KernelSource& source) {
    const Table table(source);
    const auto columns = static_cast<std::size_t>(model::elementCount(source.node().shape));
    const std::size_t positions = columns / table.width;
    if (source.action() == Action::Forward)
        return [=, x = source.read(0), y = source.write()](const Frame& frame) {
            const auto batch = static_cast<std::size_t>(frame.rows);
            tensor::positionEmbedding({x.read(frame), batch, columns},
                                      {table.weight(frame).data, positions, table.width},
                                      {y.write(frame), batch, columns});
        };
    return [=, dy = source.read(0), adds = source.instruction().adds,
            own = std::vector<float>(columns)](const Frame& frame) mutable {
        const auto batch = static_cast<std::size_t>(frame.rows);
        tensor::positionEmbeddingGradient({dy.read(frame), batch, columns},
                                          {own.data(), positions, table.width});
        const std::span<float> gradient = table.gradient(frame).flat();
        if (!adds) std::ranges::fill(gradient, 0.0F);
        for (std::size_t i = 0; i < columns; ++i)
            gradient[i] += own[i];
    };
}

}  // namespace

Result<Kernel> makeEmbeddingKernel(const KernelSource& source) {
    if (std::holds_alternative<model::PositionEmbedding>(source.node().operation))
        return makePositionKernel(source);
    return makeTableKernel(source);
}

}  // namespace lockstep::program
