// SPDX-License-Identifier: Apache-2.0
#include "tests/support/program_counts.h"

#include <array>
#include <set>
#include <variant>

namespace lockstep::testing {

namespace {

const char* const kOperations[] = {"input",
                                   "dense",
                                   "convolution",
                                   "pooling",
                                   "global pooling",
                                   "batch norm",
                                   "layer norm",
                                   "group norm",
                                   "dropout",
                                   "activation",
                                   "add",
                                   "multiply",
                                   "concatenate",
                                   "affine",
                                   "zero padding",
                                   "reshape",
                                   "flatten",
                                   "embedding",
                                   "position embedding",
                                   "attention",
                                   "up sampling",
                                   "transposed convolution",
                                   "recurrence"};
const char* const kFunctions[] = {"linear", "relu",    "leaky relu", "gelu", "gelu tanh",
                                  "silu",   "sigmoid", "tanh",       "elu",  "softmax"};

std::string wordOf(model::Function function) {
    return kFunctions[static_cast<std::size_t>(function)];
}

/// The options that are computed in ways of their own.
struct OptionCounter {
    ProgramCounts& counts;

    void operator()(const model::Convolution& operation) const {
        const model::Window& window = operation.window;
        if (operation.groups > 1) counts.add("convolution in groups");
        if (window.strides != model::Extent{1, 1}) counts.add("convolution with strides");
        if (window.dilation != model::Extent{1, 1}) counts.add("convolution with dilation");
        if (window.before != window.after) counts.add("convolution, padded unevenly");
    }
    void operator()(const model::Pooling& operation) const {
        const bool isMaximum = operation.kind == model::Pooling::Kind::Maximum;
        counts.add(isMaximum ? "maximum pooling" : "average pooling");
    }
    void operator()(const model::GlobalPooling& operation) const {
        const bool isMaximum = operation.kind == model::Pooling::Kind::Maximum;
        counts.add(isMaximum ? "global maximum" : "global average");
    }
    void operator()(const model::BatchNormalization& operation) const {
        if (!operation.isSynchronized) counts.add("batch norm of its replica");
        if (!operation.hasScale) counts.add("batch norm without scale");
        if (!operation.hasCenter) counts.add("batch norm without center");
    }
    void operator()(const model::LayerNormalization& operation) const {
        if (operation.isRootMeanSquare) counts.add("rms norm");
    }
    void operator()(const model::Attention& operation) const {
        counts.add(operation.isCausal ? "causal attention" : "free attention");
        if (operation.dropout > 0) counts.add("attention with dropout");
    }
    void operator()(const model::TransposedConvolution& operation) const {
        const model::Window& window = operation.window;
        if (window.strides != model::Extent{1, 1}) counts.add("transposed with strides");
        if (window.dilation != model::Extent{1, 1}) counts.add("transposed with dilation");
        if (window.before != window.after) counts.add("transposed, padded unevenly");
    }
    void operator()(const model::Recurrence& operation) const {
        const bool isLstm = operation.kind == model::Recurrence::Kind::Lstm;
        counts.add(isLstm ? "lstm" : "gru");
        if (operation.goesBackwards) counts.add(isLstm ? "lstm backwards" : "gru backwards");
        const char* given = operation.returnsSequences ? "sequences of " : "last step of ";
        counts.add(std::string(given) + (isLstm ? "lstm" : "gru"));
    }
    void operator()(const model::Dropout& operation) const {
        if (operation.isOfChannels) counts.add("dropout of channels");
    }
    void operator()(const model::Activation& operation) const {
        counts.add(wordOf(operation.function));
    }
    template <typename Other>
    void operator()(const Other& /*operation*/) const {}
};

constexpr std::array kOptions = {"convolution in groups",
                                 "convolution with strides",
                                 "convolution with dilation",
                                 "convolution, padded unevenly",
                                 "maximum pooling",
                                 "average pooling",
                                 "global maximum",
                                 "global average",
                                 "batch norm of its replica",
                                 "batch norm of its statistics",
                                 "batch norm without scale",
                                 "batch norm without center",
                                 "rms norm",
                                 "causal attention",
                                 "free attention",
                                 "attention with dropout",
                                 "transposed with strides",
                                 "transposed with dilation",
                                 "transposed, padded unevenly",
                                 "lstm",
                                 "gru",
                                 "lstm backwards",
                                 "gru backwards",
                                 "sequences of lstm",
                                 "sequences of gru",
                                 "last step of lstm",
                                 "last step of gru",
                                 "dropout of channels",
                                 "relu",
                                 "leaky relu",
                                 "gelu",
                                 "gelu tanh",
                                 "silu",
                                 "sigmoid",
                                 "tanh",
                                 "elu",
                                 "softmax",
                                 "shared weight",
                                 "frozen tensor",
                                 "gradients added up"};

}  // namespace

const char* operationWord(const model::Operation& operation) {
    return kOperations[operation.index()];
}

void ProgramCounts::addAll(const program::Program& program) {
    std::set<int> seen;
    for (const model::Node& node : program.graph.nodes) {
        add(kOperations[node.operation.index()]);
        std::visit(OptionCounter{*this}, node.operation);
        if (std::holds_alternative<model::BatchNormalization>(node.operation) &&
            !program.graph.tensors[static_cast<std::size_t>(node.tensors.back())].isTrainable)
            add("batch norm of its statistics");
        if (!node.tensors.empty() && !seen.insert(node.tensors[0]).second) add("shared weight");
    }
    for (const model::Tensor& tensor : program.graph.tensors)
        if (!tensor.isTrainable) add("frozen tensor");
    for (const program::Instruction& instruction : program.forward)
        if (instruction.fused.function != model::Function::Linear) {
            const model::Node& node =
                program.graph.nodes[static_cast<std::size_t>(instruction.node)];
            add(std::string("fused: ") + kOperations[node.operation.index()] + " and " +
                wordOf(instruction.fused.function));
        }
    for (const program::Instruction& instruction : program.backward)
        if (instruction.action == program::Action::Accumulate) add("gradients added up");
}

int ProgramCounts::of(const std::string& what) const {
    const auto found = counts_.find(what);
    return found == counts_.end() ? 0 : found->second;
}

std::string ProgramCounts::lessThan(int least) const {
    for (const char* operation : kOperations)
        if (of(operation) < least) return operation;
    for (const char* option : kOptions)
        if (of(option) < least) return option;
    for (const char* operation :
         {"dense", "convolution", "batch norm", "add", "transposed convolution"})
        for (const char* function : {"relu", "sigmoid", "tanh"}) {
            const auto fusion = std::string("fused: ") + operation + " and " + function;
            if (of(fusion) < least) return fusion;
        }
    for (const auto& [what, often] : counts_)
        if (what.starts_with("fused: ") && often < least) return what;
    return {};
}

}  // namespace lockstep::testing
