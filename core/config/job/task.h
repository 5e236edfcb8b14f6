// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/job/task_spec.h"
#include "core/model/data_facts.h"
#include "core/model/description/problem.h"
#include "core/model/graph.h"

namespace lockstep::config {

/// What a network is trained for: what the data ask, and how its output answers.
struct Task {
    enum class Answer : std::uint8_t {
        Class,      ///< Of the sample.
        NextToken,  ///< For each position the token behind it.
        Values,     ///< Numbers.
    };
    enum class Output : std::uint8_t {
        Logits,        ///< One for each class, before softmax.
        BinaryLogits,  ///< One for each yes or no, before sigmoid.
        Numbers,       ///< What is predicted, as it is.
    };
    Answer answer = Answer::Class;
    Output output = Output::Logits;
    LossKind loss = LossKind::SparseCategoricalCrossEntropy;  ///< Never Auto.
    model::Shape shape{};      ///< What the network must give for a sample.
    std::int64_t classes = 0;  ///< Or tokens, or values.
};

/// "binary_crossentropy": as the job file has it.
[[nodiscard]] std::string_view toString(LossKind kind);

/// The task of a job with such data. A problem of training.loss where the loss is none for them.
struct TaskReading {
    Task task{};
    std::optional<model::Problem> problem{};
};
[[nodiscard]] TaskReading taskOf(const LossSpec& loss, const model::DataFacts& facts);

/// What of [training] does not fit the task: the smoothing, weights, ignored class.
[[nodiscard]] std::vector<model::Problem> lossProblems(const LossSpec& loss, const Task& task);

/// Why a job cannot have data.target_scale: other numbers than those that it predicts keep theirs.
[[nodiscard]] std::optional<model::Problem> targetScaleProblem(double targetScale,
                                                               const Task& task);

/// Why the network's output is none for the task: its shape, an activation in front of a loss that
/// takes the numbers before it, also behind layers that change nothing when evaluated, or a layer
/// that shows a position the token which it is to predict.
[[nodiscard]] std::optional<model::Problem> outputProblem(const model::Graph& graph,
                                                          const Task& task);

}  // namespace lockstep::config
