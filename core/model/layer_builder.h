// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/data_facts.h"
#include "core/model/graph.h"
#include "core/model/layer_options.h"

namespace lockstep::model {

/// A graph while it is made, with what spans its layers.
struct GraphDraft {
    Graph graph;
    std::set<std::string> tensorNames;
    std::map<std::string, int> weights;  ///< Of each layer's full name its tensor "weight".
    std::int64_t dropouts = 0;
};

/// Makes the nodes and tensors of one layer, which is the last of the draft's. What goes wrong is
/// BadInput, with a message that goes on where the layer's place ends: "takes …, but gets …".
class LayerBuilder {
public:
    LayerBuilder(GraphDraft& draft, const DataFacts& facts, const LayerOptions& options,
                 std::vector<int> inputs)
        : draft_(draft), facts_(facts), options_(options), inputs_(std::move(inputs)) {}

    [[nodiscard]] const LayerOptions& options() const { return options_; }
    [[nodiscard]] const std::vector<int>& inputs() const { return inputs_; }
    [[nodiscard]] int input() const { return inputs_.front(); }
    /// What the layer gets, for one sample.
    [[nodiscard]] const Shape& inputShape(std::size_t index = 0) const;
    [[nodiscard]] const Shape& shapeOf(int node) const;
    [[nodiscard]] const Operation& operationOf(int node) const;
    /// Whether a node is the data's, an input or one that was normalised, and no layer's.
    [[nodiscard]] bool isOfData(int node) const;
    /// Of the sample's whole numbers; 0: it has none.
    [[nodiscard]] std::int64_t vocabulary() const { return facts_.vocabulary; }
    /// A column of the data by its node, an Input; null: the sample itself.
    [[nodiscard]] const Column* columnOf(int node) const;
    [[nodiscard]] std::int64_t channels() const { return inputShape().back(); }

    /// The value of an option that may be "classes" or "vocabulary".
    [[nodiscard]] Result<std::int64_t> size(std::string_view option) const;
    /// Fails unless the input has `rank` dimensions; `form` names them.
    [[nodiscard]] Result<void> requireRank(std::size_t rank, std::string_view form) const;

    /// A tensor of the layer, "weight" as `name`.
    [[nodiscard]] Result<int> tensor(const std::string& name, Shape shape, Initializer initializer,
                                     Tensor::Role role = Tensor::Role::Parameter);
    /// That of weights_of where this is given, which must have the shape; else a new one.
    [[nodiscard]] Result<int> weight(Shape shape, Initializer initializer);
    /// As the option names it; Glorot's and He's with these fans.
    [[nodiscard]] Initializer initializer(std::string_view option, double fanIn,
                                          double fanOut) const;
    /// `multiplyAdds`: of the forward pass for a sample.
    [[nodiscard]] Result<int> node(Operation operation, std::vector<int> inputs,
                                   std::vector<int> tensors, Shape shape,
                                   std::int64_t multiplyAdds = 0);
    /// The layer's tensor stays as it was loaded, whatever `trainable` says.
    void freeze(int tensor) {
        draft_.graph.tensors[static_cast<std::size_t>(tensor)].isTrainable = false;
    }
    /// Training keeps so many numbers of a sample besides what the nodes give.
    void keep(std::int64_t numbers);
    /// A number for each dropout of the graph.
    [[nodiscard]] std::int64_t nextDropout() { return draft_.dropouts++; }

private:
    [[nodiscard]] Layer& layer() const { return draft_.graph.layers.back(); }

    GraphDraft& draft_;
    const DataFacts& facts_;
    const LayerOptions& options_;
    std::vector<int> inputs_;
    std::uint64_t drawn_ = 0;  ///< Tensors of the layer whose values are drawn.
};

/// a * b, or the largest number where it is larger: for counts that are shown.
[[nodiscard]] std::int64_t saturatingProduct(std::int64_t a, std::int64_t b);
[[nodiscard]] std::int64_t saturatingSum(std::int64_t a, std::int64_t b);

/// Whether a tensor of that shape may be: sizes from 1, at most kMostElements numbers.
[[nodiscard]] bool isPossible(const Shape& shape);

/// What a type of layer is made of: gives the node of its output.
using BuildLayer = Result<int> (*)(LayerBuilder&);

}  // namespace lockstep::model
