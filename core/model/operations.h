// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "core/model/shape.h"

namespace lockstep::model {

// What a node of a graph computes. Images are height x width x channels; sequences (length x
// channels) pass through the same operations with a height of one.

enum class Function : std::uint8_t {
    Linear,
    Relu,
    LeakyRelu,  ///< Slope 0.3 by default, as Keras; PyTorch has 0.01.
    Gelu,       ///< By the error function.
    GeluTanh,   ///< Its approximation.
    Silu,
    Sigmoid,
    Tanh,
    Elu,
    Softmax,  ///< Over the last dimension.
};

/// Rows and columns: {height, width}.
using Extent = std::array<std::int64_t, 2>;

/// Where a window stands on an image: of a convolution or a pooling.
struct Window {
    Extent size{1, 1};
    Extent strides{1, 1};
    Extent dilation{1, 1};
    Extent before{0, 0};  ///< Padding above and left of the image.
    Extent after{0, 0};   ///< Below and right of it; more than before where "same" is odd.
};

/// The graph's entry: a sample, or one of its named columns.
struct Input {
    std::int64_t column = -1;  ///< Index among the data's columns; -1: the sample itself.
};
/// y = x Wᵀ + b over the last dimension. Tensors: weight [out, in]; bias [out].
struct Dense {};
/// Tensors: weight [filters, channels / groups, height, width]; bias [filters].
struct Convolution {
    Window window;
    std::int64_t groups = 1;
};
/// What a convolution does to the gradient of its input: each place of the input is spread over a
/// window of the output. The window is that convolution's, on this node's output. Tensors: weight
/// [channels, filters, height, width]; bias [filters].
struct TransposedConvolution {
    Window window;
};
struct Pooling {
    enum class Kind : std::uint8_t { Maximum, Average };
    Kind kind = Kind::Maximum;
    Window window;  ///< Padding is left out of averages, as in Keras.
};
/// Over all places of an image or a sequence: what is left are the channels.
struct GlobalPooling {
    Pooling::Kind kind = Pooling::Kind::Average;
};
/// Over the batch and all places, channel by channel. Tensors, in this order, each where it is
/// wanted: weight, bias; then the statistics running_mean, running_var, always.
/// running = momentum * running + (1 - momentum) * batch's, with the biased variance.
struct BatchNormalization {
    float momentum = 0.99F;
    float epsilon = 1e-3F;
    bool hasScale = true;
    bool hasCenter = true;
    bool isSynchronized = true;  ///< Over all replicas: N train what one would.
};
/// Over the last dimension. Tensors where wanted: weight, bias.
struct LayerNormalization {
    float epsilon = 1e-3F;
    bool hasScale = true;
    bool hasCenter = true;
    bool isRootMeanSquare = false;  ///< rms_normalization: no mean is taken away, no bias.
};
/// Over all places and the channels of a group. Tensors where wanted: weight, bias.
struct GroupNormalization {
    std::int64_t groups = 32;
    float epsilon = 1e-3F;
    bool hasScale = true;
    bool hasCenter = true;
};
/// What is kept is divided by 1 - rate. Which is a function of the seed, the step, the sample's
/// place in the global batch, the layer and the unit. Nothing happens when a network is evaluated.
struct Dropout {
    float rate = 0;
    std::int64_t layer = 0;  ///< Counts the dropouts of a graph, attention's included.
    /// One decision for a channel at all places of a sample, as on the inputs of a recurrent layer.
    /// The unit is the channel then.
    bool isOfChannels = false;
    /// Of a member of a mesh that has some of the channels: the first of them, and all that there
    /// are, so that what is kept does not depend on the mesh. 0: it has all.
    std::int64_t firstChannel = 0;
    std::int64_t allChannels = 0;
};
struct Activation {
    Function function = Function::Relu;
    float slope = 0;  ///< Of LeakyRelu; alpha of Elu.
};
struct Add {};
struct Multiply {};
/// Along the last dimension.
struct Concatenate {};
/// y = x * scale + offset, channel by channel; one value stands for all channels.
struct Affine {
    std::vector<float> scale;
    std::vector<float> offset;
};
struct ZeroPadding {
    Extent before{0, 0};
    Extent after{0, 0};
};
/// The same numbers in the same order.
struct Reshape {};
/// One row, channels first: of an image all of the first channel, then the second, as PyTorch.
struct Flatten {};
/// Rows of a table, chosen by whole numbers. Tensor: weight [rows, width].
struct Embedding {
    /// Of a member of a mesh that has some of the rows: the first of them. What the others have is
    /// zero here. -1: it has all.
    std::int64_t firstRow = -1;
};
/// x + a row of a table for each position. Tensor: weight [positions, width].
struct PositionEmbedding {};
/// softmax(Q Kᵀ / sqrt(width of a head)) V, head by head, of queries, keys and values that lie
/// side by side: [positions, 3 * width] gives [positions, width].
struct Attention {
    std::int64_t heads = 1;
    bool isCausal = false;
    float dropout = 0;           ///< Of the weights after softmax.
    std::int64_t layer = 0;      ///< As Dropout's.
    std::int64_t firstHead = 0;  ///< Of a member of a mesh that has some of the heads.
};
/// The steps of a recurrent layer, of what its gates get from the input: [positions, gates * units]
/// gives [positions, units], or the last step's [units]. With h of the step before, 0 at first, and
/// q = weight h + bias, gates in PyTorch's order:
///   Lstm: i, f, o = sigmoid(x + q), g = tanh(x + q); c = f c + i g; h = o tanh(c)
///   Gru: r, z = sigmoid(x + q), n = tanh(x + r q); h = (1 - z) n + z h
/// Tensors: weight [gates * units, units]; bias [gates * units].
struct Recurrence {
    enum class Kind : std::uint8_t { Lstm, Gru };
    Kind kind = Kind::Lstm;
    bool returnsSequences = false;
    bool goesBackwards = false;  ///< The last position first; steps are given in their own order.

    [[nodiscard]] std::int64_t gates() const { return kind == Kind::Lstm ? 4 : 3; }
};
struct UpSampling {
    Extent factor{2, 2};  ///< Nearest.
};
/// What the members of a mesh's group, who share a network's tensors, tell each other, so that they
/// compute together what one would. A value that all members have is equal on all, to the bit.
struct MeshExchange {
    enum class Kind : std::uint8_t {
        Sum,     ///< What all members have, added in their order. Tensor where wanted: bias.
        Share,   ///< The same; each member's gradient is a part of it, and they are added.
        Gather,  ///< The columns that each member has, side by side.
        Take,    ///< This member's columns of what all have.
    };
    Kind kind = Kind::Sum;
    std::int64_t index = 0;  ///< This member's.
    std::int64_t members = 1;
    /// Stretches of columns, each of which is cut among the members: queries, keys and values.
    std::int64_t segments = 1;
};

using Operation =
    std::variant<Input, Dense, Convolution, Pooling, GlobalPooling, BatchNormalization,
                 LayerNormalization, GroupNormalization, Dropout, Activation, Add, Multiply,
                 Concatenate, Affine, ZeroPadding, Reshape, Flatten, Embedding, PositionEmbedding,
                 Attention, UpSampling, TransposedConvolution, Recurrence, MeshExchange>;

}  // namespace lockstep::model
