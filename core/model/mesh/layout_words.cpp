// SPDX-License-Identifier: Apache-2.0
#include "core/model/mesh/layout_words.h"

#include <algorithm>

#include "core/model/mesh/mesh_layout.h"

namespace lockstep::model {

namespace {

/// One node's use of the tensor.
struct Use {
    const Graph& graph;
    const Node& node;
    std::size_t place;  ///< Among the node's tensors.

    [[nodiscard]] bool isBias() const { return place > 0; }
    [[nodiscard]] std::int64_t size(int axis) const {
        const auto tensor = static_cast<std::size_t>(node.tensors[place]);
        return graph.tensors[tensor].shape[static_cast<std::size_t>(axis)];
    }
    [[nodiscard]] Cut along(int axis, std::string_view unit) const {
        return {.axis = axis, .segments = 1, .units = size(axis), .unit = unit};
    }
    /// Weights of which one dimension counts outputs, the other inputs.
    [[nodiscard]] std::optional<Cut> ofProduct(std::string_view word, int out, int in) const {
        if (word == "out") return along(isBias() ? 0 : out, "output");
        if (word == "in") return isBias() ? Cut{} : along(in, "input");
        return std::nullopt;
    }
};

const Attention* attentionOf(const Node& node) {
    return std::get_if<Attention>(&node.operation);
}

/// Of a dense layer whose outputs are the queries, keys and values of an attention, and of the one
/// that mixes what its heads give.
std::optional<Cut> byHeads(const Use& use) {
    const Graph& graph = use.graph;
    for (const Node& reader : graph.nodes) {
        const Attention* attention = attentionOf(reader);
        if (attention == nullptr) continue;
        const Node& source = graph.nodes[static_cast<std::size_t>(reader.inputs[0])];
        if (&source == &use.node)
            return Cut{.axis = 0, .segments = 3, .units = attention->heads, .unit = "head"};
    }
    const Attention* before =
        attentionOf(graph.nodes[static_cast<std::size_t>(use.node.inputs[0])]);
    if (before == nullptr) return std::nullopt;
    if (use.isBias()) return Cut{};
    return Cut{.axis = 1, .segments = 1, .units = before->heads, .unit = "head"};
}

std::optional<Cut> cutOf(const Use& use, std::string_view word) {
    const Operation& operation = use.node.operation;
    if (std::holds_alternative<Dense>(operation))
        return word == "heads" ? byHeads(use) : use.ofProduct(word, 0, 1);
    if (std::holds_alternative<Convolution>(operation) ||
        std::holds_alternative<Recurrence>(operation))
        return use.ofProduct(word, 0, 1);
    if (std::holds_alternative<TransposedConvolution>(operation)) return use.ofProduct(word, 1, 0);
    if (std::holds_alternative<Embedding>(operation)) {
        if (word == "vocabulary") return use.along(0, "row");
        if (word == "features") return use.along(1, "feature");
        return std::nullopt;
    }
    if (word != "features") return std::nullopt;
    return use.along(std::holds_alternative<PositionEmbedding>(operation) ? 1 : 0, "feature");
}

}  // namespace

const std::vector<std::string>& layoutWords() {
    static const std::vector<std::string> kWords = {"out",        "in",       "heads",
                                                    "vocabulary", "features", "whole"};
    return kWords;
}

std::optional<Cut> cutOf(const Graph& graph, int tensor, std::string_view word) {
    if (word == "whole") return Cut{};
    for (const Node& node : graph.nodes) {
        const auto found = std::ranges::find(node.tensors, tensor);
        if (found == node.tensors.end()) continue;
        const Use use{graph, node, static_cast<std::size_t>(found - node.tensors.begin())};
        if (auto cut = cutOf(use, word)) return cut;
    }
    return std::nullopt;
}

std::vector<std::string> wordsOf(const Graph& graph, int tensor) {
    std::vector<std::string> words;
    for (const std::string& word : layoutWords())
        if (const auto cut = cutOf(graph, tensor, word); cut && cut->axis >= 0)
            words.push_back(word);
    return words;
}

}  // namespace lockstep::model
