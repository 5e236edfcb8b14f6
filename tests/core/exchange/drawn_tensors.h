// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/checkpoint/snapshot.h"
#include "core/program/parameter_layout.h"
#include "tests/support/graph_values.h"

namespace lockstep::tests {

/// Drawn numbers for all tensors of a graph, which outlives this.
class DrawnTensors {
public:
    explicit DrawnTensors(const model::Graph& graph, std::uint64_t seed = 1)
        : DrawnTensors(graph, testing::drawValues(graph, seed)) {}
    DrawnTensors(const model::Graph& graph, testing::GraphValues values)
        : graph_(graph), values_(std::move(values)) {}

    [[nodiscard]] std::vector<checkpoint::TensorRef> tensors() const {
        const auto layout = program::ParameterLayout::of(graph_);
        std::vector<checkpoint::TensorRef> tensors;
        for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
            const model::Tensor& tensor = graph_.tensors[i];
            const bool isStatistic = tensor.role == model::Tensor::Role::Statistic;
            const std::span<const float> flat =
                isStatistic ? values_.statistics : values_.parameters;
            tensors.push_back(
                {tensor.name, tensor.shape,
                 flat.subspan(layout.offsets[i], static_cast<std::size_t>(tensor.size()))});
        }
        return tensors;
    }

private:
    const model::Graph& graph_;
    testing::GraphValues values_;
};

}  // namespace lockstep::tests
