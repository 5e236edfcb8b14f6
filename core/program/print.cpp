// SPDX-License-Identifier: Apache-2.0
#include "core/program/print.h"

#include <fmt/format.h>

#include <array>
#include <variant>

namespace lockstep::program {

namespace {

/// In the order of model::Operation.
constexpr std::array<std::string_view, std::variant_size_v<model::Operation>> kOperations = {
    "input",
    "dense",
    "convolution",
    "pooling",
    "global_pooling",
    "batch_normalization",
    "layer_normalization",
    "group_normalization",
    "dropout",
    "activation",
    "add",
    "multiply",
    "concatenate",
    "affine",
    "zero_padding",
    "reshape",
    "flatten",
    "embedding",
    "position_embedding",
    "attention",
    "up_sampling",
};

std::string_view wordOf(Action action) {
    switch (action) {
        case Action::Forward:
            return "forward";
        case Action::BatchSums:
            return "batch_sums";
        case Action::SumAcrossReplicas:
            return "sum_across_replicas";
        case Action::ParameterGradient:
            return "parameter_gradient";
        case Action::GradientSums:
            return "gradient_sums";
        case Action::InputGradient:
            return "input_gradient";
        case Action::Accumulate:
            return "accumulate";
    }
    return "";
}

std::string_view wordOf(model::Function function) {
    constexpr std::array<std::string_view, 10> kWords = {
        "linear", "relu",    "leaky_relu", "gelu", "gelu_tanh",
        "silu",   "sigmoid", "tanh",       "elu",  "softmax"};
    return kWords[static_cast<std::size_t>(function)];
}

std::string listOf(const std::vector<ValueId>& values) {
    std::string text;
    for (const ValueId value : values)
        text += fmt::format("{}{}", text.empty() ? "" : " ",
                            value < 0 ? "-" : fmt::format("v{}", value));
    return text;
}

void append(std::string& text, const Program& program, const Instruction& instruction) {
    const model::Graph& graph = program.graph;
    const model::Node& node = graph.nodes[static_cast<std::size_t>(instruction.node)];
    const std::string layer =
        node.layer < 0 ? "" : graph.layers[static_cast<std::size_t>(node.layer)].name;
    std::string words =
        fmt::format("{}.{}", kOperations[node.operation.index()], wordOf(instruction.action));
    if (const auto* activation = std::get_if<model::Activation>(&node.operation))
        words += fmt::format(" {}", wordOf(activation->function));
    if (instruction.fused.function != model::Function::Linear)
        words += fmt::format("+{}", wordOf(instruction.fused.function));
    text += fmt::format("  {:<42} {:<28} {} -> {}", words, layer, listOf(instruction.reads),
                        listOf(instruction.writes));
    if (instruction.adds) text += ", adds";
    if (instruction.completes >= 0)
        text += fmt::format(", gradients from {} on are final", instruction.completes);
    text += '\n';
}

}  // namespace

std::string toText(const Program& program) {
    std::string text = fmt::format(
        "batch {}, {} parameters, {} statistics, arena {:.1f} MiB ({:.1f} MiB if nothing shared "
        "memory)\n",
        program.maxBatch, program.layout.parameters, program.layout.statistics,
        static_cast<double>(program.arenaFloats) / (1 << 18),
        static_cast<double>(program.unsharedFloats) / (1 << 18));
    text += "forward\n";
    for (const Instruction& instruction : program.forward)
        append(text, program, instruction);
    text += fmt::format("output v{}\n", program.output);
    if (program.mode == Program::Mode::Evaluation) return text;
    text += fmt::format("the loss writes v{}\nbackward\n", program.outputGradient);
    for (const Instruction& instruction : program.backward)
        append(text, program, instruction);
    return text;
}

}  // namespace lockstep::program
