// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/model/graph.h"

namespace lockstep::testing {

/// Writes a graph node by node, with the shapes that the operations' definitions give. Each node is
/// a layer of its own, "layers.0" the first behind the input, but that an activation belongs to
/// what it follows; methods give a node's index.
class GraphSketch {
public:
    int input(model::Shape shape);
    /// Any operation; `tensors` are indices that tensor() gave.
    int node(model::Operation operation, std::vector<int> inputs, model::Shape shape,
             std::vector<int> tensors = {});
    /// A tensor of the next node: "layers.3.weight".
    int tensor(const std::string& name, model::Shape shape,
               model::Tensor::Role role = model::Tensor::Role::Parameter);

    int dense(int input, std::int64_t units, bool hasBias = true);
    int convolution(int input, std::int64_t filters, const model::Window& window,
                    std::int64_t groups = 1, bool hasBias = true);
    int pooling(int input, model::Pooling::Kind kind, const model::Window& window);
    int globalPooling(int input, model::Pooling::Kind kind);
    /// With the tensors that the operation says; of these four, with the input's shape.
    int normalization(int input, const model::BatchNormalization& operation);
    int normalization(int input, const model::LayerNormalization& operation);
    int normalization(int input, const model::GroupNormalization& operation);
    int activation(int input, model::Function function, float slope = 0);
    /// Add, Multiply: of the first's shape.
    int together(model::Operation operation, std::vector<int> inputs);
    int concatenate(std::vector<int> inputs);
    int dropout(int input, float rate, bool isOfChannels = false);
    int flatten(int input);
    int padding(int input, const model::ZeroPadding& operation);
    int upSampling(int input, model::Extent factor);
    /// Of whole numbers below `vocabulary`.
    int embedding(int input, std::int64_t vocabulary, std::int64_t width);
    /// Of a table with that many positions more than are used.
    int positionEmbedding(int input, std::int64_t unused = 0);
    /// Attention alone, of [positions, 3 * width]; its `layer` is counted here.
    int attention(int input, model::Attention operation);

    /// An image that the window's convolution would make the input of; `more` rows and columns lie
    /// beyond its windows.
    int transposed(int input, std::int64_t filters, const model::Window& window, model::Extent more,
                   bool hasBias = true);
    /// The steps alone, of [positions, gates * units].
    int recurrence(int input, const model::Recurrence& operation, bool hasBias = true);

    [[nodiscard]] const model::Shape& shapeOf(int node) const {
        return graph_.nodes[static_cast<std::size_t>(node)].shape;
    }
    [[nodiscard]] const model::Graph& graph() const { return graph_; }
    [[nodiscard]] model::Graph& graph() { return graph_; }
    [[nodiscard]] model::Graph take() { return std::move(graph_); }

private:
    [[nodiscard]] std::vector<int> scaleAndCenter(std::int64_t channels, bool hasScale,
                                                  bool hasCenter);

    model::Graph graph_;
    std::int64_t dropouts_ = 0;
};

/// Where a window of that size stands: with `padding` on all sides, or as Keras' "same".
[[nodiscard]] model::Window paddedWindow(model::Extent size, model::Extent strides,
                                         std::int64_t padding);
[[nodiscard]] model::Window sameWindow(const model::Shape& image, model::Extent size,
                                       model::Extent strides, model::Extent dilation);

}  // namespace lockstep::testing
