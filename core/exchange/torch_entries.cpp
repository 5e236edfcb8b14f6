// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/torch_entries.h"

#include <set>
#include <variant>

namespace lockstep::exchange {

namespace {

using Kind = TorchEntry::Kind;

/// Which of weight and bias a normalisation has, and which of them PyTorch's module would.
struct Affine {
    bool hasScale = false;
    bool hasCenter = false;
    bool canLackCenter = false;
};

std::vector<TorchEntry> completed(const std::string& layer, const Affine& affine,
                                  std::int64_t channels) {
    std::vector<TorchEntry> entries;
    if (!affine.hasScale && affine.hasCenter)
        entries.push_back({Kind::Constant, layer + ".weight", {channels}, -1, 1});
    if (affine.hasScale && !affine.hasCenter && !affine.canLackCenter)
        entries.push_back({Kind::Constant, layer + ".bias", {channels}, -1, 0});
    return entries;
}

std::vector<TorchEntry> entriesOf(const model::Node& node, const std::string& layer) {
    if (node.shape.empty()) return {};
    const std::int64_t channels = node.shape.back();
    if (const auto* batch = std::get_if<model::BatchNormalization>(&node.operation)) {
        auto entries = completed(layer, {batch->hasScale, batch->hasCenter, false}, channels);
        entries.push_back({Kind::BatchCount, layer + ".num_batches_tracked", {}, -1, 0});
        return entries;
    }
    if (const auto* group = std::get_if<model::GroupNormalization>(&node.operation))
        return completed(layer, {group->hasScale, group->hasCenter, false}, channels);
    if (const auto* norm = std::get_if<model::LayerNormalization>(&node.operation))
        return completed(layer, {norm->hasScale, norm->hasCenter, true}, channels);
    return {};
}

}  // namespace

std::vector<TorchEntry> torchEntries(const model::Graph& graph) {
    std::vector<TorchEntry> entries;
    std::set<std::string> names;
    for (const model::Tensor& tensor : graph.tensors)
        names.insert(tensor.name);
    const auto add = [&](TorchEntry entry) {
        if (names.insert(entry.name).second) entries.push_back(std::move(entry));
    };
    std::set<int> owned;  // by the layers before
    for (const model::Node& node : graph.nodes) {
        if (node.layer < 0) continue;
        const std::string& layer = graph.layers[static_cast<std::size_t>(node.layer)].name;
        for (const int index : node.tensors) {
            const model::Tensor& tensor = graph.tensors[static_cast<std::size_t>(index)];
            if (!owned.insert(index).second)
                add({Kind::Shared, layer + ".weight", tensor.shape, index, 0});
        }
        for (TorchEntry& entry : entriesOf(node, layer))
            add(std::move(entry));
    }
    return entries;
}

}  // namespace lockstep::exchange
