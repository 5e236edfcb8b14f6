// SPDX-License-Identifier: Apache-2.0
#include "core/model/mesh/split_graph.h"

#include <algorithm>
#include <map>
#include <utility>

namespace lockstep::model {

namespace {

using Kind = MeshExchange::Kind;

/// Where a node's value is found in the split graph, and what of it a member has.
struct Held {
    int node = -1;
    std::int64_t segments = 0;  ///< Stretches of columns that are cut; 0: all have the whole.

    [[nodiscard]] bool isWhole() const { return segments == 0; }
};

/// Goes through the whole graph node by node. Columns are the last dimension of a value: channels,
/// features, units.
class Splitter {
public:
    Splitter(const Graph& whole, const MeshLayout& layout, std::int64_t index)
        : whole_(whole), layout_(layout), index_(index), shards_(layout.shards) {}

    Graph split();

private:
    [[nodiscard]] std::int64_t members() const { return layout_.members; }
    [[nodiscard]] const Node& original(int index) const {
        return whole_.nodes[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] const Tensor& originalTensor(int index) const {
        return whole_.tensors[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] const TensorShard& shard(int tensor) const {
        return shards_[static_cast<std::size_t>(tensor)];
    }
    [[nodiscard]] Held held(int index) const { return held_[static_cast<std::size_t>(index)]; }
    [[nodiscard]] bool columnsDivide(int index) const {
        return original(index).shape.back() % members() == 0;
    }

    int add(Operation operation, std::vector<int> inputs, std::vector<int> tensors, Shape shape,
            int layer);
    [[nodiscard]] Shape shapeOf(int index, std::int64_t segments) const;
    int exchange(Kind kind, int index, int from, std::int64_t segments, Shape shape);
    int wholeValue(int index);
    int sharedValue(int index);
    int columns(int index, std::int64_t segments = 1);
    int wholeTensor(int tensor);
    std::vector<int> wholeTensors(const Node& node);

    Held keep(const Node& node, std::int64_t segments);
    Held computeWhole(const Node& node);
    /// Each member works on its own columns of the inputs.
    Held computeColumns(const Node& node, Operation operation, std::int64_t segments);
    Held compute(const Node& node);
    Held byOutputs(const Node& node);
    Held byInputs(const Node& node, Shape out);
    Held product(const Node& node, int outputAxis, int inputAxis);
    [[nodiscard]] bool biasFits(const Node& node) const;
    Held embedding(const Node& node);
    Held positions(const Node& node);
    Held attention(const Node& node);
    Held convolution(const Node& node);
    Held normalization(const Node& node, Operation operation);
    Held dropout(const Node& node);
    Held affine(const Node& node);
    Held joined(const Node& node);
    Held reshaped(const Node& node);

    const Graph& whole_;
    const MeshLayout& layout_;
    const std::int64_t index_;
    std::vector<TensorShard> shards_;
    Graph graph_;
    std::vector<Held> held_;  ///< Of each node of the whole graph.
    /// What exchanges have given already: by the node, the kind and the segments.
    std::map<std::tuple<int, Kind, std::int64_t>, int> exchanged_;
    std::map<int, int> gathered_;  ///< By the tensor.
};

int Splitter::add(Operation operation, std::vector<int> inputs, std::vector<int> tensors,
                  Shape shape, int layer) {
    graph_.nodes.push_back(
        {std::move(operation), std::move(inputs), std::move(tensors), std::move(shape), layer});
    return static_cast<int>(graph_.nodes.size()) - 1;
}

Shape Splitter::shapeOf(int index, std::int64_t segments) const {
    Shape shape = original(index).shape;
    if (segments > 0) shape.back() /= members();
    return shape;
}

/// Of what node `index` of the whole graph gives; made once.
int Splitter::exchange(Kind kind, int index, int from, std::int64_t segments, Shape shape) {
    const auto [place, isNew] = exchanged_.try_emplace({index, kind, segments}, -1);
    if (isNew)
        place->second = add(MeshExchange{kind, index_, members(), segments}, {from}, {},
                            std::move(shape), original(index).layer);
    return place->second;
}

int Splitter::wholeValue(int index) {
    const Held one = held(index);
    if (one.isWhole()) return one.node;
    return exchange(Kind::Gather, index, one.node, one.segments, original(index).shape);
}

/// For work whose gradient each member has a part of.
int Splitter::sharedValue(int index) {
    return exchange(Kind::Share, index, wholeValue(index), 1, original(index).shape);
}

int Splitter::columns(int index, std::int64_t segments) {
    const Held one = held(index);
    if (one.segments == segments) return one.node;
    return exchange(Kind::Take, index, wholeValue(index), segments, shapeOf(index, segments));
}

int Splitter::wholeTensor(int tensor) {
    if (shard(tensor).isWhole()) return tensor;
    const auto [place, isNew] = gathered_.try_emplace(tensor, -1);
    if (isNew) {
        Tensor whole = originalTensor(tensor);
        whole.role = Tensor::Role::Gathered;
        whole.gatheredFrom = tensor;
        graph_.tensors.push_back(std::move(whole));
        place->second = static_cast<int>(graph_.tensors.size()) - 1;
    }
    return place->second;
}

std::vector<int> Splitter::wholeTensors(const Node& node) {
    std::vector<int> tensors;
    for (const int tensor : node.tensors)
        tensors.push_back(wholeTensor(tensor));
    return tensors;
}

/// What the node added last gives is this node's value.
Held Splitter::keep(const Node& /*node*/, std::int64_t segments) {
    return {static_cast<int>(graph_.nodes.size()) - 1, segments};
}

Held Splitter::computeWhole(const Node& node) {
    std::vector<int> inputs;
    for (const int input : node.inputs)
        inputs.push_back(wholeValue(input));
    add(node.operation, std::move(inputs), wholeTensors(node), node.shape, node.layer);
    return keep(node, 0);
}

Held Splitter::computeColumns(const Node& node, Operation operation, std::int64_t segments) {
    std::vector<int> inputs;
    for (const int input : node.inputs)
        inputs.push_back(columns(input, segments));
    Shape shape = node.shape;
    shape.back() /= members();
    add(std::move(operation), std::move(inputs), node.tensors, std::move(shape), node.layer);
    return keep(node, segments);
}

bool Splitter::biasFits(const Node& node) const {
    if (node.tensors.size() < 2) return true;
    const TensorShard& bias = shard(node.tensors[1]);
    return bias.axis == 0 && bias.segments == shard(node.tensors[0]).segments;
}

/// Every member computes its outputs of the whole input.
Held Splitter::byOutputs(const Node& node) {
    const std::int64_t segments = shard(node.tensors[0]).segments;
    const int input = sharedValue(node.inputs[0]);
    Shape shape = node.shape;
    shape.back() /= members();
    add(node.operation, {input}, node.tensors, std::move(shape), node.layer);
    return keep(node, segments);
}

/// Every member computes what its inputs give to all outputs; the bias comes to the sum.
Held Splitter::byInputs(const Node& node, Shape out) {
    const int part = add(node.operation, {columns(node.inputs[0])}, {node.tensors[0]},
                         std::move(out), node.layer);
    std::vector<int> bias;
    if (node.tensors.size() > 1) bias.push_back(wholeTensor(node.tensors[1]));
    add(MeshExchange{Kind::Sum, index_, members(), 1}, {part}, std::move(bias), node.shape,
        node.layer);
    return keep(node, 0);
}

Held Splitter::product(const Node& node, int outputAxis, int inputAxis) {
    const TensorShard& weight = shard(node.tensors[0]);
    if (weight.axis == outputAxis && biasFits(node)) return byOutputs(node);
    if (weight.axis == inputAxis) return byInputs(node, node.shape);
    return computeWhole(node);
}

Held Splitter::convolution(const Node& node) {
    const auto& operation = std::get<Convolution>(node.operation);
    if (operation.groups == 1) return product(node, 0, 1);
    // Groups of channels know nothing of each other: each member has some of them.
    const bool isLocal =
        shard(node.tensors[0]).axis == 0 && biasFits(node) && operation.groups % members() == 0;
    if (!isLocal) return computeWhole(node);
    Convolution own = operation;
    own.groups /= members();
    return computeColumns(node, own, 1);
}

Held Splitter::embedding(const Node& node) {
    const TensorShard& table = shard(node.tensors[0]);
    const std::vector<int> inputs{wholeValue(node.inputs[0])};
    if (table.axis == 1) {
        Shape shape = node.shape;
        shape.back() /= members();
        add(node.operation, inputs, node.tensors, std::move(shape), node.layer);
        return keep(node, 1);
    }
    if (table.axis != 0) return computeWhole(node);
    const std::int64_t rows = originalTensor(node.tensors[0]).shape[0] / members();
    const int part =
        add(Embedding{.firstRow = rows * index_}, inputs, node.tensors, node.shape, node.layer);
    add(MeshExchange{Kind::Sum, index_, members(), 1}, {part}, {}, node.shape, node.layer);
    return keep(node, 0);
}

Held Splitter::positions(const Node& node) {
    const bool isLocal = shard(node.tensors[0]).axis == 1 && held(node.inputs[0]).segments == 1;
    return isLocal ? computeColumns(node, node.operation, 1) : computeWhole(node);
}

Held Splitter::attention(const Node& node) {
    Attention own = std::get<Attention>(node.operation);
    if (held(node.inputs[0]).segments != 3 || own.heads % members() != 0) return computeWhole(node);
    own.heads /= members();
    own.firstHead = own.heads * index_;
    Shape shape = node.shape;
    shape.back() /= members();
    add(own, {held(node.inputs[0]).node}, {}, std::move(shape), node.layer);
    return keep(node, 1);
}

/// Channel by channel, or by groups of them: where a member has some of the channels it has their
/// tensors, too, unless a rule says otherwise.
Held Splitter::normalization(const Node& node, Operation operation) {
    const bool isFree = std::ranges::all_of(node.tensors, [this](int tensor) {
        return !layout_.isRuled[static_cast<std::size_t>(tensor)] || shard(tensor).axis == 0;
    });
    if (held(node.inputs[0]).segments != 1 || !isFree) return computeWhole(node);
    for (const int tensor : node.tensors)
        shards_[static_cast<std::size_t>(tensor)] = {0, 1, 0, members()};
    return computeColumns(node, std::move(operation), 1);
}

Held Splitter::dropout(const Node& node) {
    Dropout own = std::get<Dropout>(node.operation);
    if (held(node.inputs[0]).segments != 1) return computeWhole(node);
    own.allChannels = node.shape.back();
    own.firstChannel = own.allChannels / members() * index_;
    return computeColumns(node, own, 1);
}

Held Splitter::affine(const Node& node) {
    Affine own = std::get<Affine>(node.operation);
    if (held(node.inputs[0]).segments != 1) return computeWhole(node);
    const std::int64_t each = node.shape.back() / members();
    for (std::vector<float>* values : {&own.scale, &own.offset})
        if (values->size() > 1)
            *values = {values->begin() + each * index_, values->begin() + each * (index_ + 1)};
    return computeColumns(node, std::move(own), 1);
}

/// Add and Multiply: number by number where all members have the same columns of all inputs.
Held Splitter::joined(const Node& node) {
    const std::int64_t segments = held(node.inputs[0]).segments;
    const bool isLocal =
        segments > 0 && std::ranges::all_of(node.inputs, [&](int input) {
            return held(input).segments == segments && original(input).shape == node.shape;
        });
    return isLocal ? computeColumns(node, node.operation, segments) : computeWhole(node);
}

/// The same numbers in the same order: columns stay columns where there are as many of them.
Held Splitter::reshaped(const Node& node) {
    const Held input = held(node.inputs[0]);
    const bool isLocal = !input.isWhole() && !node.shape.empty() &&
                         original(node.inputs[0]).shape.back() == node.shape.back();
    return isLocal ? computeColumns(node, node.operation, input.segments) : computeWhole(node);
}

Held Splitter::compute(const Node& node) {
    const Operation& operation = node.operation;
    const std::int64_t segments = node.inputs.empty() ? 0 : held(node.inputs[0]).segments;
    const auto is = [&operation]<typename... Choices>(std::type_identity<Choices>...) {
        return (std::holds_alternative<Choices>(operation) || ...);
    };
    if (is(std::type_identity<Dense>())) return product(node, 0, 1);
    if (is(std::type_identity<TransposedConvolution>())) return product(node, 1, 0);
    if (is(std::type_identity<Convolution>())) return convolution(node);
    if (is(std::type_identity<Embedding>())) return embedding(node);
    if (is(std::type_identity<PositionEmbedding>())) return positions(node);
    if (is(std::type_identity<Attention>())) return attention(node);
    if (is(std::type_identity<Dropout>())) return dropout(node);
    if (is(std::type_identity<Affine>())) return affine(node);
    if (is(std::type_identity<Reshape>())) return reshaped(node);
    if (is(std::type_identity<Add>(), std::type_identity<Multiply>())) return joined(node);
    if (is(std::type_identity<BatchNormalization>())) return normalization(node, operation);
    if (const auto* norm = std::get_if<GroupNormalization>(&operation)) {
        GroupNormalization own = *norm;
        own.groups /= members();
        return norm->groups % members() == 0 ? normalization(node, own) : computeWhole(node);
    }
    if (const auto* activation = std::get_if<Activation>(&operation))
        return activation->function != Function::Softmax && segments > 0
                   ? computeColumns(node, operation, segments)
                   : computeWhole(node);
    // Of an image's channels each comes whole behind the other: columns stay side by side.
    const bool isByChannels = is(std::type_identity<Pooling>(), std::type_identity<GlobalPooling>(),
                                 std::type_identity<ZeroPadding>(),
                                 std::type_identity<UpSampling>(), std::type_identity<Flatten>());
    return isByChannels && segments == 1 ? computeColumns(node, operation, 1) : computeWhole(node);
}

Graph Splitter::split() {
    graph_.input = whole_.input;
    graph_.columns = whole_.columns;
    graph_.layers = whole_.layers;
    graph_.tensors = whole_.tensors;
    for (const Node& node : whole_.nodes)
        held_.push_back(compute(node));
    const auto last = static_cast<int>(whole_.nodes.size()) - 1;
    wholeValue(last);
    for (std::size_t i = 0; i < shards_.size(); ++i) {
        if (!shards_[i].isWhole()) shards_[i] = shards_[i].of(index_);
        graph_.tensors[i].shape = model::shapeOf(shards_[i], whole_.tensors[i].shape);
    }
    graph_.shards = shards_;
    return std::move(graph_);
}

}  // namespace

Graph splitGraph(const Graph& whole, const MeshLayout& layout, std::int64_t index) {
    return Splitter(whole, layout, index).split();
}

}  // namespace lockstep::model
