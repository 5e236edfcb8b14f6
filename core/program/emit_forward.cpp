// SPDX-License-Identifier: Apache-2.0
// Forward, node by node. What an instruction reads and writes:
//
//   operation            reads           writes
//   BatchNormalization   x, sums         y, moments
//     by its statistics  x               y
//   Layer-, GroupNorm.   x               y, moments
//   Attention            qkv             y, logarithms of the sums of exponentials
//   Recurrence           x               gates, y, extra, states (training); y (evaluation)
//   Input                the samples     its part of each
//   MeshExchange         x               y; a share has none: it is x
//   all others           the inputs      y
//
// An Input has an instruction where the data have named columns; else the samples are its value.
// A Reshape, a Flatten that moves nothing, a Dropout in evaluation and a fused Activation have no
// instruction: their value is that of what they read. The gates of a Recurrence lie where x lay if
// that ends there; its states are y where all steps are given, and not written then. A relu before
// maxima is computed behind them.
// A batch normalisation goes by its running statistics in evaluation, and where it is not trained.
#include <algorithm>

#include "core/program/emitter.h"

namespace lockstep::program {

using model::Function;

bool derivesFromOutput(const model::Activation& activation) {
    switch (activation.function) {
        case Function::Linear:
        case Function::Relu:
        case Function::Sigmoid:
        case Function::Tanh:
        case Function::Softmax:
            return true;
        case Function::LeakyRelu:
        case Function::Elu:
        case Function::Gelu:
        case Function::GeluTanh:
        case Function::Silu:
            return false;
    }
    return false;
}

namespace {

/// Whether an operation is computed so that an activation may follow at once.
bool takesActivation(const model::Operation& operation) {
    return std::holds_alternative<model::Dense>(operation) ||
           std::holds_alternative<model::Convolution>(operation) ||
           std::holds_alternative<model::TransposedConvolution>(operation) ||
           std::holds_alternative<model::BatchNormalization>(operation) ||
           std::holds_alternative<model::Add>(operation);
}

/// Whether an operation works number by number, so that its result may lie where its first input
/// lay.
bool isElementwise(const model::Operation& operation) {
    return std::holds_alternative<model::Activation>(operation) ||
           std::holds_alternative<model::Dropout>(operation) ||
           std::holds_alternative<model::Add>(operation) ||
           std::holds_alternative<model::Multiply>(operation) ||
           std::holds_alternative<model::Affine>(operation) ||
           std::holds_alternative<model::PositionEmbedding>(operation);
}

/// Of a mesh: the sum of what all have may lie where this member's part lay.
bool isMeshSum(const model::Operation& operation) {
    const auto* exchange = std::get_if<model::MeshExchange>(&operation);
    return exchange != nullptr && exchange->kind == model::MeshExchange::Kind::Sum;
}

/// Channels first and channels last are the same order where there is but one channel or place.
bool movesNothing(const model::Shape& shape) {
    return shape.size() < 2 || shape.back() == 1 || model::elementCount(shape) == shape.back();
}

std::int64_t rowsOf(const model::Shape& shape) {
    return model::elementCount(shape) / (shape.empty() ? 1 : shape.back());
}

}  // namespace

Emitter::Emitter(Program& program)
    : program_(program),
      values_(program.graph.nodes.size(), -1),
      kept_(program.graph.nodes.size()),
      fusedInto_(program.graph.nodes.size(), -1),
      fusedActivation_(program.graph.nodes.size(), -1),
      wantsGradient_(program.graph.nodes.size()),
      gradients_(program.graph.nodes.size()),
      hasGradient_(program.graph.tensors.size()) {}

ValueId Emitter::inputOf(int index, std::size_t which) const {
    return valueOf(node(index).inputs[which]);
}

ValueId Emitter::newValue(std::int64_t perSample, std::int64_t perBatch) {
    program_.values.push_back({perSample, perBatch});
    return static_cast<ValueId>(program_.values.size()) - 1;
}

bool Emitter::isRelu(int index) const {
    const auto* activation = as<model::Activation>(index);
    return activation != nullptr && activation->function == Function::Relu;
}

/// A relu whose only reader takes maxima is computed of these, which are fewer; other activations
/// by the node before them, if nobody else reads it.
int Emitter::computesAt(int activation, const std::vector<std::vector<int>>& readers) const {
    const auto readersOf = [&readers](int index) -> const std::vector<int>& {
        return readers[static_cast<std::size_t>(index)];
    };
    if (isRelu(activation) && readersOf(activation).size() == 1) {
        const int reader = readersOf(activation).front();
        const auto* pooling = as<model::Pooling>(reader);
        if (pooling != nullptr && pooling->kind == model::Pooling::Kind::Maximum) return reader;
    }
    const int before = node(activation).inputs[0];
    const bool isAlone = readersOf(before).size() == 1 && takesActivation(node(before).operation);
    const bool isKnown = !isTraining() || derivesFromOutput(*as<model::Activation>(activation));
    return isAlone && isKnown ? before : -1;
}

bool Emitter::normalizesBatch(int index) const {
    if (as<model::BatchNormalization>(index) == nullptr || !isTraining()) return false;
    const int variance = node(index).tensors.back();
    return program_.graph.tensors[static_cast<std::size_t>(variance)].isTrainable;
}

void Emitter::findFusions() {
    const auto count = static_cast<int>(program_.graph.nodes.size());
    std::vector<std::vector<int>> readers(program_.graph.nodes.size());
    for (int i = 0; i < count; ++i)
        for (const int input : node(i).inputs)
            readers[static_cast<std::size_t>(input)].push_back(i);
    for (int i = 0; i < count; ++i) {
        const auto* activation = as<model::Activation>(i);
        if (activation == nullptr || activation->function == Function::Softmax) continue;
        const int computes = computesAt(i, readers);
        if (computes < 0) continue;
        fusedInto_[static_cast<std::size_t>(i)] = computes;
        fusedActivation_[static_cast<std::size_t>(computes)] = i;
    }
}

void Emitter::emitForward() {
    const auto count = static_cast<int>(program_.graph.nodes.size());
    findFusions();
    if (!program_.graph.columns.empty()) newValue(program_.graph.sampleSize());
    for (int i = 0; i < count; ++i)
        emitForwardOf(i);
    program_.output = valueOf(count - 1);
}

void Emitter::emitForwardOf(int index) {
    const model::Node& node = this->node(index);
    ValueId& value = values_[static_cast<std::size_t>(index)];
    if (as<model::Input>(index) != nullptr) {
        value = newValue(model::elementCount(node.shape));
        if (!program_.graph.columns.empty())
            program_.forward.push_back({.node = index, .reads = {0}, .writes = {value}});
        return;
    }
    const bool isView =
        as<model::Reshape>(index) != nullptr ||
        (as<model::Flatten>(index) != nullptr && movesNothing(this->node(node.inputs[0]).shape)) ||
        (as<model::Dropout>(index) != nullptr && !isTraining()) ||
        exchanges(index, model::MeshExchange::Kind::Share) ||
        fusedInto_[static_cast<std::size_t>(index)] >= 0;
    if (isView) {
        value = inputOf(index);
        return;
    }
    Instruction instruction{
        .node = index, .overwrites = isElementwise(node.operation) || isMeshSum(node.operation)};
    for (const int input : node.inputs)
        instruction.reads.push_back(valueOf(input));
    // A value that is read twice is not overwritten after its first reading.
    if (std::ranges::count(instruction.reads, instruction.reads.front()) > 1)
        instruction.overwrites = false;
    const int activation = fusedActivation_[static_cast<std::size_t>(index)];
    if (activation >= 0) instruction.fused = *as<model::Activation>(activation);
    if (normalizesBatch(index)) {
        emitBatchNormalization(index, std::move(instruction));
        return;
    }
    if (as<model::Recurrence>(index) != nullptr && isTraining()) {
        emitRecurrence(index, std::move(instruction));
        return;
    }
    value = valueLike(index);
    instruction.writes = {value};
    if (isTraining() && as<model::LayerNormalization>(index) != nullptr)
        kept_[static_cast<std::size_t>(index)] = {newValue(2 * rowsOf(node.shape))};
    if (const auto* groups = as<model::GroupNormalization>(index);
        groups != nullptr && isTraining())
        kept_[static_cast<std::size_t>(index)] = {newValue(2 * groups->groups)};
    if (const auto* attention = as<model::Attention>(index); attention != nullptr && isTraining())
        kept_[static_cast<std::size_t>(index)] = {newValue(attention->heads * rowsOf(node.shape))};
    std::ranges::copy(kept_[static_cast<std::size_t>(index)],
                      std::back_inserter(instruction.writes));
    push(program_.forward, std::move(instruction));
}

std::size_t Emitter::stored(int tensor) const {
    const int from = program_.graph.tensors[static_cast<std::size_t>(tensor)].gatheredFrom;
    return static_cast<std::size_t>(from >= 0 ? from : tensor);
}

/// A new value for each of the node's tensors that is gathered; empty: none is.
std::vector<ValueId> Emitter::valuesForGathered(int index) {
    const auto& tensors = node(index).tensors;
    if (std::ranges::none_of(tensors, [this](int tensor) { return isGathered(tensor); })) return {};
    std::vector<ValueId> values;
    for (const int tensor : tensors)
        values.push_back(
            isGathered(tensor)
                ? newValue(0, program_.graph.tensors[static_cast<std::size_t>(tensor)].size())
                : -1);
    return values;
}

/// A tensor is whole only while an instruction reads it: backward gathers it again. Its gradient
/// alone is computed without it.
void Emitter::push(std::vector<Instruction>& to, Instruction instruction) {
    if (instruction.action != Action::ParameterGradient)
        instruction.tensors = valuesForGathered(instruction.node);
    for (std::size_t which = 0; which < instruction.tensors.size(); ++which)
        if (instruction.tensors[which] >= 0)
            to.push_back({.action = Action::GatherTensor,
                          .node = instruction.node,
                          .reads = {},
                          .writes = {instruction.tensors[which]},
                          .which = which});
    to.push_back(std::move(instruction));
}

void Emitter::emitRecurrence(int index, Instruction forward) {
    const auto* operation = as<model::Recurrence>(index);
    const model::Shape& sequence = node(node(index).inputs[0]).shape;
    const std::int64_t steps = model::elementCount(sequence) / operation->gates();
    const ValueId gates = valueLike(node(index).inputs[0]);
    const ValueId result = valueLike(index);
    const ValueId extra = newValue(steps);
    values_[static_cast<std::size_t>(index)] = result;
    forward.writes = {gates, result, extra};
    if (!operation->returnsSequences) forward.writes.push_back(newValue(steps));
    forward.overwrites = true;
    const ValueId states = operation->returnsSequences ? result : forward.writes.back();
    kept_[static_cast<std::size_t>(index)] = {gates, extra, states};
    push(program_.forward, std::move(forward));
}

/// Sums of this replica, of all replicas, and what they make of each number.
void Emitter::emitBatchNormalization(int index, Instruction forward) {
    const model::Node& node = this->node(index);
    const std::int64_t channels = node.shape.back();
    ValueId sums = newValue(0, 2 * (2 * channels + 1));  // doubles
    program_.forward.push_back(
        {.action = Action::BatchSums, .node = index, .reads = {inputOf(index)}, .writes = {sums}});
    if (as<model::BatchNormalization>(index)->isSynchronized) {
        const ValueId everywhere = newValue(0, 2 * (2 * channels + 1));
        program_.forward.push_back({.action = Action::SumAcrossReplicas,
                                    .node = index,
                                    .reads = {sums},
                                    .writes = {everywhere},
                                    .overwrites = true});
        sums = everywhere;
    }
    const ValueId moments = newValue(0, 2 * channels);
    values_[static_cast<std::size_t>(index)] = valueLike(index);
    kept_[static_cast<std::size_t>(index)] = {moments};
    forward.reads.push_back(sums);
    forward.writes = {valueOf(index), moments};
    push(program_.forward, std::move(forward));
}

}  // namespace lockstep::program
