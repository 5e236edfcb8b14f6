// SPDX-License-Identifier: Apache-2.0
#include "core/config/job/task.h"

#include <fmt/format.h>

#include <variant>

#include "core/base/plural.h"
#include "core/model/look_ahead.h"

namespace lockstep::config {

namespace {

using Answer = Task::Answer;
using Output = Task::Output;

Answer answerOf(const model::DataFacts& facts) {
    if (facts.values > 0) return Answer::Values;
    return facts.classes > 0 ? Answer::Class : Answer::NextToken;
}

LossKind usualLoss(Answer answer) {
    return answer == Answer::Values ? LossKind::MeanSquaredError
                                    : LossKind::SparseCategoricalCrossEntropy;
}

Output outputOf(LossKind loss) {
    switch (loss) {
        case LossKind::Auto:
        case LossKind::SparseCategoricalCrossEntropy:
        case LossKind::CategoricalCrossEntropy:
            return Output::Logits;
        case LossKind::BinaryCrossEntropy:
            return Output::BinaryLogits;
        case LossKind::MeanSquaredError:
        case LossKind::MeanAbsoluteError:
        case LossKind::Huber:
            break;
    }
    return Output::Numbers;
}

std::string targetsIn(const Task& task) {
    if (task.answer == Answer::Class) return counted(task.classes, "class");
    if (task.answer == Answer::NextToken) return "tokens";
    return counted(task.classes, "number") + " as targets";
}

model::Problem problemOf(std::string key, std::string message, std::string remedy) {
    return {{std::move(key), 0, 0}, std::move(message), std::move(remedy)};
}

/// Empty: the loss is one for such targets.
std::string lossMisfit(const Task& task) {
    const std::string_view name = toString(task.loss);
    const bool isBinary = task.loss == LossKind::BinaryCrossEntropy;
    if (task.answer == Answer::Values)
        return task.loss == LossKind::SparseCategoricalCrossEntropy
                   ? fmt::format("is \"{}\", which takes a class, but the data have {}", name,
                                 targetsIn(task))
                   : std::string();
    if (outputOf(task.loss) == Output::Numbers)
        return fmt::format("is \"{}\", which takes numbers, but the data have {}", name,
                           targetsIn(task));
    if (isBinary && (task.answer == Answer::NextToken || task.classes > 2))
        return fmt::format("is \"{}\", which tells two classes apart, but the data have {}", name,
                           targetsIn(task));
    return {};
}

model::Shape shapeFor(const Task& task, const model::DataFacts& facts) {
    if (task.answer == Answer::NextToken) return {facts.input.front(), task.classes};
    if (task.answer == Answer::Class && task.output == Output::BinaryLogits) return {1};
    return {task.classes};
}

/// The last node that does more than pass its input's numbers on.
const model::Node& lastNode(const model::Graph& graph) {
    const model::Node* node = &graph.nodes.back();
    const auto passesOn = [&] {
        const auto* activation = std::get_if<model::Activation>(&node->operation);
        return std::holds_alternative<model::Reshape>(node->operation) ||
               std::holds_alternative<model::Flatten>(node->operation) ||
               std::holds_alternative<model::Dropout>(node->operation) ||
               (activation != nullptr && activation->function == model::Function::Linear);
    };
    while (passesOn())
        node = &graph.nodes[static_cast<std::size_t>(node->inputs.front())];
    return *node;
}

std::string wayToEnd(const Task& task) {
    if (task.answer == Answer::NextToken)
        return "End with { type = \"dense\", units = \"vocabulary\" }.";
    if (task.answer == Answer::Class && task.output == Output::Logits)
        return "End with { type = \"dense\", units = \"classes\" }.";
    return fmt::format("End with {{ type = \"dense\", units = {} }}.", task.shape.back());
}

std::optional<model::Problem> activationProblem(const model::Graph& graph, const Task& task) {
    if (task.output == Output::Numbers) return std::nullopt;
    const model::Node& last = lastNode(graph);
    const auto* activation = std::get_if<model::Activation>(&last.operation);
    if (activation == nullptr || last.layer < 0) return std::nullopt;
    const model::Layer& layer = graph.layers[static_cast<std::size_t>(last.layer)];
    const char* function = task.output == Output::BinaryLogits ? "sigmoid" : "softmax";
    return problemOf(layer.place,
                     fmt::format("has an activation, but it gives the logits, to which the loss "
                                 "applies {}",
                                 function),
                     "Leave its activation out.");
}

/// A position that sees the token behind it has nothing to predict.
std::optional<model::Problem> lookAheadProblem(const model::Graph& graph, const Task& task) {
    if (task.answer != Task::Answer::NextToken) return std::nullopt;
    const auto found = model::firstLookAhead(graph);
    if (!found) return std::nullopt;
    const model::Node& node = graph.nodes[static_cast<std::size_t>(*found)];
    const std::string place =
        node.layer < 0 ? "model.layers" : graph.layers[static_cast<std::size_t>(node.layer)].place;
    const bool isAttention = std::holds_alternative<model::Attention>(node.operation);
    return problemOf(place,
                     "lets a position see later tokens, the one that it is to predict among them",
                     isAttention ? "Add causal = true to it."
                                 : "Use layers in which a position sees itself and earlier ones "
                                   "alone, as multi_head_attention with causal = true.");
}

}  // namespace

std::string_view toString(LossKind kind) {
    switch (kind) {
        case LossKind::Auto:
            return "auto";
        case LossKind::SparseCategoricalCrossEntropy:
            return "sparse_categorical_crossentropy";
        case LossKind::CategoricalCrossEntropy:
            return "categorical_crossentropy";
        case LossKind::BinaryCrossEntropy:
            return "binary_crossentropy";
        case LossKind::MeanSquaredError:
            return "mean_squared_error";
        case LossKind::MeanAbsoluteError:
            return "mean_absolute_error";
        case LossKind::Huber:
            break;
    }
    return "huber";
}

TaskReading taskOf(const LossSpec& loss, const model::DataFacts& facts) {
    Task task{.answer = answerOf(facts)};
    task.loss = loss.kind == LossKind::Auto ? usualLoss(task.answer) : loss.kind;
    task.output = outputOf(task.loss);
    task.classes = task.answer == Answer::Values  ? facts.values
                   : task.answer == Answer::Class ? facts.classes
                                                  : facts.vocabulary;
    task.shape = shapeFor(task, facts);
    const std::string misfit = lossMisfit(task);
    if (misfit.empty()) return {std::move(task), std::nullopt};
    const std::string usual(toString(usualLoss(task.answer)));
    return {std::move(task),
            problemOf("training.loss", misfit,
                      fmt::format("Leave it out: for such data it is \"{}\".", usual))};
}

std::vector<model::Problem> lossProblems(const LossSpec& loss, const Task& task) {
    std::vector<model::Problem> problems;
    const bool ofClasses = task.output == Output::Logits;
    const auto wants = [&](bool isWanted, bool fits, const char* key, const char* whom) {
        if (isWanted && !fits)
            problems.push_back(problemOf(key,
                                         fmt::format("is given, but it is for {}, and the loss is "
                                                     "\"{}\" of {}",
                                                     whom, toString(task.loss), targetsIn(task)),
                                         "Remove it."));
    };
    wants(loss.labelSmoothing > 0, task.output != Output::Numbers, "training.label_smoothing",
          "cross-entropies");
    wants(loss.ignoredClass >= 0, ofClasses && task.answer != Answer::Values,
          "training.ignored_class", "the cross-entropy of classes or tokens");
    wants(loss.huberDelta != LossSpec{}.huberDelta, task.loss == LossKind::Huber,
          "training.huber_delta", "\"huber\"");
    wants(!loss.classWeights.empty() || loss.balancedClassWeights, task.answer == Answer::Class,
          "training.class_weights", "classes of samples");
    if (!problems.empty()) return problems;
    if (!loss.classWeights.empty() &&
        static_cast<std::int64_t>(loss.classWeights.size()) != task.classes)
        problems.push_back(problemOf(
            "training.class_weights",
            fmt::format("has {}, but the data have {}", counted(loss.classWeights.size(), "weight"),
                        counted(task.classes, "class")),
            "Give one for each class, in the order of the classes."));
    if (loss.ignoredClass >= task.classes)
        problems.push_back(problemOf("training.ignored_class",
                                     fmt::format("is {}, but there are only {}, counted from 0",
                                                 loss.ignoredClass, targetsIn(task)),
                                     "Name one of them, or remove it."));
    return problems;
}

std::optional<model::Problem> targetScaleProblem(double targetScale, const Task& task) {
    if (targetScale == 1 || task.output == Output::Numbers) return std::nullopt;
    return problemOf("data.target_scale",
                     fmt::format("is {}, but it is for numbers that are predicted, and the loss is "
                                 "\"{}\" of {}",
                                 targetScale, toString(task.loss), targetsIn(task)),
                     "Remove it.");
}

std::optional<model::Problem> outputProblem(const model::Graph& graph, const Task& task) {
    const bool isOneNumber = task.shape == model::Shape{1} && graph.output().empty();
    if (graph.output() != task.shape && !isOneNumber)
        return problemOf(graph.layers.back().place,
                         fmt::format("gives {} in the end, but {}", model::toString(graph.output()),
                                     task.answer == Answer::NextToken
                                         ? "for each position the loss takes one of the tokens: " +
                                               model::toString(task.shape)
                                         : "the data has " + targetsIn(task)),
                         wayToEnd(task));
    if (auto wrong = activationProblem(graph, task)) return wrong;
    return lookAheadProblem(graph, task);
}

}  // namespace lockstep::config
