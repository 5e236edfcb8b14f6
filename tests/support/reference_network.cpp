// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference_network.h"

#include "tests/support/reference_operations.h"

namespace lockstep::testing {

namespace {

TensorValues moved(TensorValues tensors, const TensorValues& direction, double step) {
    for (std::size_t i = 0; i < tensors.size(); ++i)
        for (std::size_t k = 0; k < tensors[i].size(); ++k)
            tensors[i][k] += step * direction[i][k];
    return tensors;
}

double weighted(const std::vector<double>& output, std::span<const float> coefficients) {
    double sum = 0;
    for (std::size_t i = 0; i < output.size(); ++i)
        sum += output[i] * static_cast<double>(coefficients[i]);
    return sum;
}

}  // namespace

ReferenceGraph::Pass ReferenceGraph::run(TensorValues tensors, std::span<const float> samples,
                                         std::int64_t rows) const {
    ReferenceOperations operations{.graph = graph_,
                                   .isTraining = isTraining_,
                                   .keepsUnit = keepsUnit_,
                                   .rows = rows,
                                   .samples = samples,
                                   .tensors = std::move(tensors)};
    for (const model::Node& node : graph_.nodes) {
        operations.node = &node;
        operations.leastVariance = 1;
        operations.y.assign(static_cast<std::size_t>(rows * model::elementCount(node.shape)), 0.0);
        std::visit(operations, node.operation);
        operations.noteVariance();
        operations.values.push_back(operations.y);
    }
    return {.output = std::move(operations.y),
            .tensors = std::move(operations.tensors),
            .kinkDistance = operations.kinkDistance,
            .magnification = operations.magnification,
            .branches = operations.branches};
}

std::optional<double> ReferenceGraph::slope(const TensorValues& tensors,
                                            const TensorValues& direction,
                                            std::span<const float> samples, std::int64_t rows,
                                            std::span<const float> coefficients) const {
    // Of a smooth function with derivatives near one the differences' error is step² / 6, that of
    // rounding 1e-16 / step: both are far below what float32 can be asked for. Smaller steps come
    // between closer kinks.
    for (const double step : {1e-5, 1e-6, 1e-7}) {
        const Pass above = run(moved(tensors, direction, step), samples, rows);
        const Pass below = run(moved(tensors, direction, -step), samples, rows);
        if (above.branches == below.branches)
            return (weighted(above.output, coefficients) - weighted(below.output, coefficients)) /
                   (2 * step);
    }
    return std::nullopt;
}

}  // namespace lockstep::testing
