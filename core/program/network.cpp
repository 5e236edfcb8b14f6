// SPDX-License-Identifier: Apache-2.0
#include "core/program/network.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/base/check.h"
#include "core/model/initialise.h"

namespace lockstep::program {

using Role = model::Tensor::Role;

Network::Network(model::Graph graph)
    : graph_(std::move(graph)), layout_(ParameterLayout::of(graph_)) {
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
        const model::Tensor& tensor = graph_.tensors[i];
        if (tensor.role == Role::Gathered) break;  // they are the last
        tensors_.push_back({tensor.name, tensor.shape, tensor.role, layout_.offsets[i]});
    }
    for (const model::Node& node : graph_.nodes)
        for (const int tensor : node.tensors)
            if (graph_.tensors[static_cast<std::size_t>(tensor)].role == Role::Parameter) {
                cuts_.push_back(layout_.offsets[static_cast<std::size_t>(tensor)]);
                break;
            }
    std::ranges::sort(cuts_);
    const auto repeated = std::ranges::unique(cuts_);  // of tensors that are used twice
    cuts_.erase(repeated.begin(), repeated.end());
}

std::size_t Network::inputFeatures() const {
    return static_cast<std::size_t>(graph_.sampleSize());
}

std::size_t Network::outputFeatures() const {
    return static_cast<std::size_t>(model::elementCount(graph_.output()));
}

std::size_t Network::trainableCount() const {
    return static_cast<std::size_t>(graph_.trainableCount());
}

bool Network::hasLocalStatistics() const {
    return std::ranges::any_of(graph_.nodes, [this](const model::Node& node) {
        const auto* norm = std::get_if<model::BatchNormalization>(&node.operation);
        return norm != nullptr && !norm->isSynchronized &&
               graph_.tensors[static_cast<std::size_t>(node.tensors.back())].isTrainable;
    });
}

void Network::initialise(std::span<float> parameters, std::uint64_t seed,
                         std::span<float> statistics) const {
    LS_CHECK(parameters.size() == layout_.parameters && statistics.size() == layout_.statistics,
             "both flat buffers must be of the network's layout");
    std::vector<float> whole;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
        const auto values = tensors_[i].in(tensors_[i].isStatistic() ? statistics : parameters);
        if (graph_.shards.empty() || graph_.shards[i].isWhole()) {
            model::initialise(graph_.tensors[i], seed, values);
            continue;
        }
        // What a tensor begins with does not depend on the mesh.
        model::Tensor tensor = graph_.tensors[i];
        tensor.shape = model::wholeShapeOf(graph_.shards[i], tensor.shape);
        whole.resize(static_cast<std::size_t>(tensor.size()));
        model::initialise(tensor, seed, whole);
        model::takeShard(graph_.shards[i], tensor.shape, whole, values);
    }
}

}  // namespace lockstep::program
