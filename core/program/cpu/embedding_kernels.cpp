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
          place(source.parameter(0)) {}

    [[nodiscard]] tensor::ConstMatrix weight(const Frame& frame) const {
        return {place.read(frame), rows, width};
    }
    [[nodiscard]] tensor::Matrix gradient(const Frame& frame) const {
        return {place.gradient(frame), rows, width};
    }

    std::size_t rows;
    std::size_t width;
    TensorPlace place;
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

/// Some rows of a network's table: what the others have is zero here, and its gradient is theirs.
class TablePart {
public:
    explicit TablePart(const KernelSource& source)
        : table_(source), x_(source.read(0)), adds_(source.instruction().adds) {
        const auto& operation = std::get<model::Embedding>(source.node().operation);
        first_ = static_cast<float>(operation.firstRow);
    }

    void forward(const Frame& frame, float* y) const {
        const auto weight = table_.weight(frame);
        forNumbers(frame, [&](std::size_t i, std::ptrdiff_t row) {
            float* to = y + i * table_.width;
            if (row >= 0)
                std::ranges::copy(weight.row(static_cast<std::size_t>(row)), to);
            else
                std::fill_n(to, table_.width, 0.0F);
        });
    }
    void gradient(const Frame& frame, const float* dy) const {
        const auto gradient = table_.gradient(frame);
        if (!adds_) std::ranges::fill(gradient.flat(), 0.0F);
        forNumbers(frame, [&](std::size_t i, std::ptrdiff_t row) {
            if (row < 0) return;
            const float* from = dy + i * table_.width;
            for (float& value : gradient.row(static_cast<std::size_t>(row)))
                value += *from++;
        });
    }

private:
    /// Calls call(index, row here) for each number of the batch; -1: it is another member's.
    template <typename Call>
    void forNumbers(const Frame& frame, const Call& call) const {
        const float* values = x_.read(frame);
        const auto rows = static_cast<float>(table_.rows);
        for (std::size_t i = 0; i < x_.size(frame); ++i) {
            const float row = values[i] - first_;
            call(i, row >= 0 && row < rows ? static_cast<std::ptrdiff_t>(row) : -1);
        }
    }

    Table table_;
    Place x_;
    bool adds_;
    float first_ = 0;
};

Kernel makePartKernel(const KernelSource& source) {
    if (source.action() == Action::Forward)
        return [part = TablePart(source), y = source.write()](const Frame& frame) {
            part.forward(frame, y.write(frame));
        };
    return [part = TablePart(source), dy = source.read(1)](const Frame& frame) {
        part.gradient(frame, dy.read(frame));
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
    const bool isPart = std::get<model::Embedding>(source.node().operation).firstRow >= 0;
    return isPart ? makePartKernel(source) : makeTableKernel(source);
}

}  // namespace lockstep::program
