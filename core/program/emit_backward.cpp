// SPDX-License-Identifier: Apache-2.0
// Backward, node by node from the last. What an instruction reads and writes:
//
//   operation            ParameterGradient  InputGradient reads        writes
//   Dense, Convolutions  x, dy              dy                         dx
//   Embedding            x, dy              -
//   PositionEmbedding    dy                 (its gradient is dy)
//   Pooling, maximum     -                  dy, x, y                   dx
//   Pooling, average     -                  dy                         dx
//   BatchNormalization   -                  dy, x, moments, sums       dx
//     by its statistics  -                  dy                         dx
//   Layer-, GroupNorm.   x, dy, moments     dy, x, moments             dx
//   Activation           -                  dy, and y or x             dx
//   Multiply             -                  dy, the inputs             dx of each
//   Concatenate          -                  dy                         dx of each
//   Attention            -                  dy, qkv, logarithms        dqkv
//   Recurrence, Lstm     dx, states         gates, extra, states, dy   dx
//   Recurrence, Gru      dx, states, gates  gates, extra, states, dy   dx
//   MeshExchange         dy (a sum's bias)  dy                         dx
//   all others           -                  dy                         dx
//
// GradientSums of a BatchNormalization reads dy, x and moments, writes sums, and gives the
// gradients of weight and bias. Where a relu is fused, its two instructions read y, too, and dy
// counts where y is above 0; so does a maximum's. An Accumulate with a relu reads two gradients and
// y. The InputGradient of a Recurrence comes first, since its ParameterGradient is made of dx. A dx
// that nobody wants is -1. An Add and a mesh's sum hand their gradient on as it is.
#include <algorithm>

#include "core/program/emitter.h"

namespace lockstep::program {

bool Emitter::trainsItsTensors(int index) const {
    return std::ranges::any_of(node(index).tensors, [this](int tensor) {
        const model::Tensor& info = program_.graph.tensors[static_cast<std::size_t>(tensor)];
        return info.role != model::Tensor::Role::Statistic && info.isTrainable;
    });
}

void Emitter::findWhatWantsGradients() {
    for (std::size_t i = 0; i < wantsGradient_.size(); ++i) {
        const auto& inputs = node(static_cast<int>(i)).inputs;
        wantsGradient_[i] =
            trainsItsTensors(static_cast<int>(i)) ||
            std::ranges::any_of(inputs, [this](int input) { return wantsGradient(input); });
    }
}

void Emitter::emitBackward() {
    findWhatWantsGradients();
    const auto last = static_cast<int>(program_.graph.nodes.size()) - 1;
    program_.outputGradient = valueLike(last);
    give(last, program_.outputGradient);
    for (int i = last; i >= 0; --i)
        emitBackwardOf(i);
    markCompletions();
}

void Emitter::give(int index, ValueId gradient) {
    gradients_[static_cast<std::size_t>(index)].push_back(gradient);
}

ValueId Emitter::gradientOf(int index) {
    const auto& given = gradients_[static_cast<std::size_t>(index)];
    if (given.empty()) return -1;
    ValueId sum = given.front();
    for (std::size_t i = 1; i < given.size(); ++i) {
        const ValueId more = valueLike(index);
        program_.backward.push_back({.action = Action::Accumulate,
                                     .node = index,
                                     .reads = {sum, given[i]},
                                     .writes = {more},
                                     .overwrites = true});
        sum = more;
    }
    return sum;
}

/// Whether the instruction that computes a relu takes its derivative into account, too: a pooling
/// behind it, a batch normalisation before it.
bool Emitter::isMaskedElsewhere(int activation) const {
    const int computes = fusedInto_[static_cast<std::size_t>(activation)];
    return isRelu(activation) && (computes > activation || normalizesBatch(computes));
}

/// What an activation that has no instruction of its own hands on.
void Emitter::emitFusedGradient(int activation) {
    const auto place = static_cast<std::size_t>(activation);
    const int input = node(activation).inputs[0];
    const bool isSum = gradients_[place].size() > 1;
    const ValueId gradient = gradientOf(activation);
    if (gradient < 0) return;
    if (isMaskedElsewhere(activation)) return give(input, gradient);
    if (isSum && isRelu(activation)) {  // masked as it is added up
        Instruction& last = program_.backward.back();
        last.reads.push_back(valueOf(activation));
        last.fused = *as<model::Activation>(activation);
        return give(input, gradient);
    }
    const ValueId masked = valueLike(activation);
    program_.backward.push_back({.action = Action::InputGradient,
                                 .node = activation,
                                 .reads = {gradient, valueOf(activation)},
                                 .writes = {masked},
                                 .overwrites = true});
    give(input, masked);
}

void Emitter::emitBackwardOf(int index) {
    if (!wantsGradient(index)) return;
    if (fusedInto_[static_cast<std::size_t>(index)] >= 0) return emitFusedGradient(index);
    const ValueId gradient = gradientOf(index);
    if (gradient < 0) return;  // nothing that reaches the output reads it
    if (as<model::Recurrence>(index) != nullptr) return emitRecurrenceGradients(index, gradient);
    emitParameterGradient(index, gradient);
    emitInputGradient(index, gradient);
}

void Emitter::emitParameterGradient(int index, ValueId gradient) {
    if (!trainsItsTensors(index) || as<model::BatchNormalization>(index) != nullptr) return;
    Instruction instruction{.action = Action::ParameterGradient, .node = index};
    const bool isOfGradientAlone =
        as<model::PositionEmbedding>(index) != nullptr || as<model::MeshExchange>(index) != nullptr;
    if (!isOfGradientAlone) instruction.reads.push_back(inputOf(index));
    instruction.reads.push_back(gradient);
    std::ranges::copy(kept_[static_cast<std::size_t>(index)],
                      std::back_inserter(instruction.reads));
    pushGradient(std::move(instruction));
}

/// The gradient of a tensor that is gathered is whole and the same on all members of the mesh: each
/// keeps its part.
void Emitter::pushGradient(Instruction instruction) {
    const int index = instruction.node;
    const auto& tensors = node(index).tensors;
    const std::size_t weight = stored(tensors.front());
    const bool adds = hasGradient_[weight];
    hasGradient_[weight] = program_.graph.tensors[weight].isTrainable;
    instruction.adds = adds && !isGathered(tensors.front());
    instruction.gradients = valuesForGathered(index);
    const std::vector<ValueId> gradients = instruction.gradients;
    push(program_.backward, std::move(instruction));
    for (std::size_t which = 0; which < gradients.size(); ++which)
        if (gradients[which] >= 0)
            program_.backward.push_back({.action = Action::KeepGradient,
                                         .node = index,
                                         .reads = {gradients[which]},
                                         .writes = {},
                                         .which = which,
                                         .adds = adds && which == 0});
}

/// Where a relu was computed with the node, its gradient is of y, and counts where y is above 0.
void Emitter::maskByOutput(int index, Instruction& instruction) const {
    const int activation = fusedActivation_[static_cast<std::size_t>(index)];
    if (activation < 0 || !isMaskedElsewhere(activation)) return;
    instruction.fused = *as<model::Activation>(activation);
    if (normalizesBatch(index))  // a pooling reads it anyway
        instruction.reads.push_back(valueOf(index));
}

/// The two sums of a batch normalisation's gradient, over all replicas where it is synchronised.
ValueId Emitter::emitGradientSums(int index, ValueId gradient) {
    const std::int64_t doubles = 2 * node(index).shape.back() + 1;
    const ValueId sums = newValue(0, 2 * doubles);
    Instruction instruction{
        .action = Action::GradientSums,
        .node = index,
        .reads = {gradient, inputOf(index), kept_[static_cast<std::size_t>(index)][0]},
        .writes = {sums}};
    maskByOutput(index, instruction);
    pushGradient(std::move(instruction));
    if (!as<model::BatchNormalization>(index)->isSynchronized) return sums;
    const ValueId everywhere = newValue(0, 2 * doubles);
    program_.backward.push_back({.action = Action::SumAcrossReplicas,
                                 .node = index,
                                 .reads = {sums},
                                 .writes = {everywhere},
                                 .overwrites = true});
    return everywhere;
}

/// What the gradient of the input is computed from, besides that of the output.
std::vector<ValueId> Emitter::neededForInputGradient(int index) const {
    const Kept& kept = kept_[static_cast<std::size_t>(index)];
    if (const auto* activation = as<model::Activation>(index); activation != nullptr)
        return {derivesFromOutput(*activation) ? valueOf(index) : inputOf(index)};
    if (normalizesBatch(index) || as<model::LayerNormalization>(index) != nullptr ||
        as<model::GroupNormalization>(index) != nullptr || as<model::Attention>(index) != nullptr)
        return {inputOf(index), kept[0]};
    const auto* pooling = as<model::Pooling>(index);
    const auto* global = as<model::GlobalPooling>(index);
    if ((pooling != nullptr && pooling->kind == model::Pooling::Kind::Maximum) ||
        (global != nullptr && global->kind == model::Pooling::Kind::Maximum))
        return {inputOf(index), valueOf(index)};
    std::vector<ValueId> needed;
    if (as<model::Multiply>(index) != nullptr)
        for (const int input : node(index).inputs)
            needed.push_back(valueOf(input));
    return needed;
}

void Emitter::emitInputGradient(int index, ValueId gradient) {
    const model::Node& node = this->node(index);
    const bool isBatchNorm = as<model::BatchNormalization>(index) != nullptr;
    const bool hasSums = normalizesBatch(index);
    const ValueId sums = hasSums ? emitGradientSums(index, gradient) : -1;
    if (std::ranges::none_of(node.inputs, [this](int input) { return wantsGradient(input); }))
        return;
    const bool passesOn =
        as<model::Add>(index) != nullptr || as<model::PositionEmbedding>(index) != nullptr ||
        exchanges(index, model::MeshExchange::Kind::Sum) ||
        (valueOf(index) == inputOf(index) && !exchanges(index, model::MeshExchange::Kind::Share));
    if (passesOn) {
        for (const int input : node.inputs)
            if (wantsGradient(input)) give(input, gradient);
        return;
    }
    Instruction instruction{.action = Action::InputGradient, .node = index, .reads = {gradient}};
    std::ranges::copy(neededForInputGradient(index), std::back_inserter(instruction.reads));
    if (hasSums) instruction.reads.push_back(sums);
    maskByOutput(index, instruction);
    instruction.overwrites = isBatchNorm || as<model::Activation>(index) != nullptr ||
                             as<model::Dropout>(index) != nullptr ||
                             as<model::Affine>(index) != nullptr ||
                             exchanges(index, model::MeshExchange::Kind::Share);
    for (const int input : node.inputs) {
        const ValueId given = wantsGradient(input) ? valueLike(input) : -1;
        instruction.writes.push_back(given);
        if (given >= 0) give(input, given);
    }
    push(program_.backward, std::move(instruction));
}

/// dx is computed whether the input wants it or not.
void Emitter::emitRecurrenceGradients(int index, ValueId gradient) {
    const Kept& kept = kept_[static_cast<std::size_t>(index)];
    const int input = node(index).inputs[0];
    const ValueId given = valueLike(input);
    push(program_.backward, {.action = Action::InputGradient,
                             .node = index,
                             .reads = {kept[0], kept[1], kept[2], gradient},
                             .writes = {given},
                             .overwrites = true});
    if (wantsGradient(input)) give(input, given);
    if (!trainsItsTensors(index)) return;
    Instruction parameters{
        .action = Action::ParameterGradient, .node = index, .reads = {given, kept[2]}};
    if (as<model::Recurrence>(index)->kind == model::Recurrence::Kind::Gru)
        parameters.reads.push_back(kept[0]);
    pushGradient(std::move(parameters));
}

/// Buckets of gradients travel while the layers below are still computed: behind each instruction
/// it is said from where on all is final.
void Emitter::markCompletions() {
    const model::Graph& graph = program_.graph;
    std::vector<int> lastUse(graph.tensors.size(), -1);
    for (std::size_t i = 0; i < program_.backward.size(); ++i)
        for (const int tensor : node(program_.backward[i].node).tensors)
            lastUse[stored(tensor)] = static_cast<int>(i);
    std::int64_t before = static_cast<std::int64_t>(program_.layout.parameters);
    for (std::size_t i = 0; i < program_.backward.size(); ++i) {
        std::int64_t begin = 0;
        for (std::size_t tensor = 0; tensor < graph.tensors.size(); ++tensor) {
            const auto end = static_cast<std::int64_t>(program_.layout.offsets[tensor]) +
                             graph.tensors[tensor].size();
            const bool isOpen = graph.tensors[tensor].role == model::Tensor::Role::Parameter &&
                                lastUse[tensor] > static_cast<int>(i);
            if (isOpen) begin = std::max(begin, end);
        }
        if (begin < before) program_.backward[i].completes = before = begin;
    }
}

}  // namespace lockstep::program
