// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/support/reference_operations.h"

// Recurrent layers, after the formulas of PyTorch's documentation.
namespace lockstep::testing {

namespace {

double sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}

}  // namespace

void ReferenceOperations::stepOf(const model::Recurrence& operation, std::span<const double> x,
                                 std::vector<double>& state, std::vector<double>& cell) {
    const std::size_t units = state.size();
    std::vector<double> product(x.size());
    for (std::size_t gate = 0; gate < product.size(); ++gate) {
        for (std::size_t u = 0; u < units; ++u)
            product[gate] += tensor(0)[gate * units + u] * state[u];
        if (hasTensor(1)) product[gate] += tensor(1)[gate];
    }
    const auto whole = [&](std::size_t gate, std::size_t u) {
        return x[gate * units + u] + product[gate * units + u];
    };
    for (std::size_t u = 0; u < units; ++u) {
        if (operation.kind == model::Recurrence::Kind::Lstm) {
            cell[u] =
                sigmoid(whole(1, u)) * cell[u] + sigmoid(whole(0, u)) * std::tanh(whole(2, u));
            state[u] = sigmoid(whole(3, u)) * std::tanh(cell[u]);
            continue;
        }
        const double reset = sigmoid(whole(0, u));
        const double update = sigmoid(whole(1, u));
        const double candidate = std::tanh(x[2 * units + u] + reset * product[2 * units + u]);
        state[u] = (1 - update) * candidate + update * state[u];
    }
}

void ReferenceOperations::operator()(const model::Recurrence& operation) {
    const auto units = static_cast<std::size_t>(node->shape.back());
    const std::size_t width = units * static_cast<std::size_t>(operation.gates());
    const auto positions = static_cast<std::size_t>(inputShape()[0]);
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
        std::vector<double> state(units);
        std::vector<double> cell(units);
        for (std::size_t step = 0; step < positions; ++step) {
            const std::size_t position = operation.goesBackwards ? positions - 1 - step : step;
            stepOf(operation, std::span(x()).subspan((row * positions + position) * width, width),
                   state, cell);
            if (!operation.returnsSequences && step + 1 < positions) continue;
            const std::size_t given = operation.returnsSequences ? row * positions + step : row;
            for (std::size_t u = 0; u < units; ++u)
                y[given * units + u] = state[u];
        }
    }
}

}  // namespace lockstep::testing
