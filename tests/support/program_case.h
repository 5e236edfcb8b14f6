// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/program/executor.h"
#include "tests/support/graph_values.h"
#include "tests/support/reference_network.h"

namespace lockstep::testing {

/// A graph with drawn numbers, and what it computes of them by the reference.
struct ProgramCase {
    model::Graph graph;
    GraphValues values{};
    std::int64_t rows = 0;
    std::vector<float> samples{};
    std::vector<float> coefficients{};  ///< dL/doutput: the loss is the sum of their products.
    std::uint64_t runSeed = 0;
    std::int64_t step = 0;
    std::int64_t firstPlace = 0;

    [[nodiscard]] program::StepBatch batch() const {
        return {.samples = samples,
                .rows = rows,
                .seed = runSeed,
                .step = step,
                .firstPlace = firstPlace};
    }
    /// In training mode with the units kept that core/tensor/cpu/layers/dropout.h keeps.
    [[nodiscard]] ReferenceGraph reference(bool isTraining) const;
};

/// A function of the graph and the seed; numbers are drawn anew until none lies so near to a kink
/// that float32 might take its other side. Nothing where that does not come about.
[[nodiscard]] std::optional<ProgramCase> drawCase(model::Graph graph, std::int64_t rows,
                                                  std::uint64_t seed);

// What is wrong with an executor of the case's graph, in words; empty: nothing. Its program has
// room for the case's rows.

/// Output and statistics of a training program, then the gradients of each trainable tensor along a
/// random direction and of one number of it.
[[nodiscard]] std::string checkTraining(const ProgramCase& drawn, program::Executor& executor);
/// The output of an evaluation program, which leaves the statistics alone.
[[nodiscard]] std::string checkEvaluation(const ProgramCase& drawn, program::Executor& executor);

}  // namespace lockstep::testing
