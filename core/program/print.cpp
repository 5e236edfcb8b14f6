// SPDX-License-Identifier: Apache-2.0
#include "core/program/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

#include "core/base/plural.h"

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
    "transposed_convolution",
    "recurrence",
    "mesh_exchange",
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
        case Action::GatherTensor:
            return "gather_tensor";
        case Action::KeepGradient:
            return "keep_gradient";
    }
    return "";
}

std::string_view wordOf(model::Function function) {
    constexpr std::array<std::string_view, 10> kWords = {
        "linear", "relu",    "leaky_relu", "gelu", "gelu_tanh",
        "silu",   "sigmoid", "tanh",       "elu",  "softmax"};
    return kWords[static_cast<std::size_t>(function)];
}

std::string_view wordOf(model::MeshExchange::Kind kind) {
    constexpr std::array<std::string_view, 4> kWords = {"sum", "share", "gather", "take"};
    return kWords[static_cast<std::size_t>(kind)];
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
    if (const auto* exchange = std::get_if<model::MeshExchange>(&node.operation))
        words += fmt::format(" {}", wordOf(exchange->kind));
    if (instruction.fused.function != model::Function::Linear)
        words += fmt::format("+{}", wordOf(instruction.fused.function));
    text += fmt::format("  {:<42} {:<28} {} -> {}", words, layer, listOf(instruction.reads),
                        listOf(instruction.writes));
    if (!instruction.tensors.empty())
        text += fmt::format(", tensors {}", listOf(instruction.tensors));
    if (!instruction.gradients.empty())
        text += fmt::format(", gradients {}", listOf(instruction.gradients));
    if (instruction.adds) text += ", adds";
    if (instruction.completes >= 0)
        text += fmt::format(", gradients from {} on are final", instruction.completes);
    text += '\n';
}

/// What stands before each line: nothing without times.
class TimeColumn {
public:
    explicit TimeColumn(const InstructionTimes* times) : times_(times) {
        if (times == nullptr) return;
        for (const auto* part : {&times->forward, &times->backward})
            for (const Nanos time : *part)
                total_ += time;
    }
    [[nodiscard]] std::string of(const std::vector<Nanos> InstructionTimes::*part,
                                 std::size_t index) const {
        if (times_ == nullptr) return "";
        const Nanos time = (times_->*part)[index];
        return fmt::format("{:9.3f} ms {:5.1f} %", milliseconds(time),
                           100 * static_cast<double>(time.count()) /
                               static_cast<double>(std::max(total_.count(), Nanos::rep{1})));
    }
    [[nodiscard]] std::string sum() const {
        if (times_ == nullptr) return "";
        const char* whose = times_->clock == InstructionTimes::Clock::Device
                                ? "of the GPU's time a step, launch by launch"
                                : "of processor time a step";
        return fmt::format("{:.3f} ms {}, the mean of {}\n", milliseconds(total_), whose,
                           counted(times_->steps, "step"));
    }

private:
    [[nodiscard]] double milliseconds(Nanos time) const {
        return static_cast<double>(time.count()) * 1e-6 / std::max(times_->steps, 1);
    }

    const InstructionTimes* times_;
    Nanos total_{0};
};

std::string textOf(const Program& program, const InstructionTimes* times) {
    const TimeColumn column(times);
    std::string text = fmt::format(
        "batch {}, {} parameters, {} statistics, arena {:.1f} MiB ({:.1f} MiB if nothing shared "
        "memory)\n",
        program.maxBatch, program.layout.parameters, program.layout.statistics,
        static_cast<double>(program.arenaFloats) / (1 << 18),
        static_cast<double>(program.unsharedFloats) / (1 << 18));
    text += column.sum();
    text += "forward\n";
    for (std::size_t i = 0; i < program.forward.size(); ++i) {
        text += column.of(&InstructionTimes::forward, i);
        append(text, program, program.forward[i]);
    }
    text += fmt::format("output v{}\n", program.output);
    if (program.mode == Program::Mode::Evaluation) return text;
    text += fmt::format("the loss writes v{}\nbackward\n", program.outputGradient);
    for (std::size_t i = 0; i < program.backward.size(); ++i) {
        text += column.of(&InstructionTimes::backward, i);
        append(text, program, program.backward[i]);
    }
    return text;
}

}  // namespace

std::string toText(const Program& program) {
    return textOf(program, nullptr);
}

std::string toText(const Program& program, const InstructionTimes& times) {
    return textOf(program, &times);
}

}  // namespace lockstep::program
