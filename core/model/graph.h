// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/model/operations.h"
#include "core/model/shape.h"
#include "core/model/tensor_shard.h"

namespace lockstep::model {

/// How a tensor begins. Draws come from CounterRng(seed, stream), so that they do not depend on the
/// layers before it.
struct Initializer {
    enum class Kind : std::uint8_t {
        Zeros,
        Ones,
        GlorotUniform,  ///< Within ±sqrt(6 / (fanIn + fanOut)).
        HeNormal,       ///< Normal of deviation sqrt(2 / fanIn), cut at twice that, as Keras.
        Uniform,        ///< Within ±scale.
        /// Of the rows or the columns of [first size, all others], whichever are fewer, each has a
        /// length of one and stands at right angles to the others; drawn evenly of all such.
        Orthogonal,
    };
    Kind kind = Kind::Zeros;
    double fanIn = 1;
    double fanOut = 1;
    double scale = 0.05;
    /// Numbers [first, second) begin as one whatever the kind: the bias of an LSTM's forget gates.
    std::pair<std::int64_t, std::int64_t> ones{0, 0};
    /// Index of the tensor's layer; of a layer's second tensor that is drawn with 1 << 48
    /// added: the orders of epochs lie between.
    std::uint64_t stream = 0;
};

/// A tensor of the network, as PyTorch names and lays it out.
struct Tensor {
    enum class Role : std::uint8_t {
        Parameter,  ///< Has a gradient.
        Statistic,  ///< Has none: running_mean, running_var.
        Gathered,   ///< A parameter that a mesh's members hold in parts: whole while it is used.
    };
    std::string name;  ///< "layers.0.weight", "layer2.0.downsample.0.weight".
    Shape shape;
    Role role = Role::Parameter;
    Initializer initializer;
    bool isTrainable = true;  ///< Stays as it was loaded, where false; a statistic, too.
    int gatheredFrom = -1;    ///< Of a Gathered one: the tensor that this member's part is.

    [[nodiscard]] std::int64_t size() const { return elementCount(shape); }
};

/// One computation. Its inputs stand before it in the graph.
struct Node {
    Operation operation;
    std::vector<int> inputs;   ///< Indices of nodes.
    std::vector<int> tensors;  ///< Indices of Graph::tensors, in the operation's order.
    Shape shape;               ///< What it gives for one sample.
    int layer = -1;            ///< Index of Graph::layers; -1: the input.
};

/// A layer as the job file says it: a few nodes (its computation, its activation).
struct Layer {
    std::string name;   ///< "layers.2", "layer1.0.conv1".
    std::string type;   ///< "conv2d".
    std::string place;  ///< Of its entry: "model.blocks.basic.layers[0].residual[1]".
    Shape output;
    std::int64_t parameters = 0;   ///< Numbers in its own tensors, statistics left out.
    std::int64_t statistics = 0;   ///< Numbers in these.
    std::int64_t flops = 0;        ///< Of the forward pass for a sample, a multiply-add as two.
    std::int64_t activations = 0;  ///< Numbers of a sample that its nodes give, and keep.
};

/// A network: what is computed, of which shapes, with which tensors. Pure and immutable.
struct Graph {
    Shape input;
    /// Of the data's named columns, whether a layer takes them or not: the numbers of a sample are
    /// the input's, then theirs, in this order.
    std::vector<Shape> columns{};
    std::vector<Node> nodes;  ///< Each behind its inputs; the last one gives the output.
    std::vector<Tensor> tensors;
    std::vector<Layer> layers;
    /// Of one member of a mesh: of each tensor the part that it holds. Empty: it has all.
    std::vector<TensorShard> shards{};

    [[nodiscard]] const Shape& output() const { return nodes.back().shape; }
    /// Numbers of a sample: those of the input and of all columns.
    [[nodiscard]] std::int64_t sampleSize() const;
    /// Numbers that training changes.
    [[nodiscard]] std::int64_t trainableCount() const;
};

}  // namespace lockstep::model
