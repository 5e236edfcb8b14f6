// SPDX-License-Identifier: Apache-2.0
#include "core/nn/workspace.h"

#include <algorithm>
#include <utility>

#include "core/nn/network.h"

namespace lockstep::nn {

Result<Workspace> Workspace::make(tensor::Device& device, const Network& network,
                                  std::size_t maxBatch) {
    Workspace workspace;
    workspace.ops_ = &device.ops();
    workspace.maxBatch_ = maxBatch;
    std::size_t widestInner = 0;
    for (std::size_t i = 0; i < network.layerCount(); ++i) {
        const std::size_t width = network.layer(i).outputSize();
        auto output = device.allocate(maxBatch * width * sizeof(float));
        if (!output) return fail(std::move(output).error());
        workspace.outputs_.push_back(std::move(*output));
        workspace.widths_.push_back(width);
        if (i + 1 < network.layerCount()) widestInner = std::max(widestInner, width);
    }
    for (tensor::Buffer& delta : workspace.deltas_) {
        auto memory = device.allocate(maxBatch * widestInner * sizeof(float));
        if (!memory) return fail(std::move(memory).error());
        delta = std::move(*memory);
    }
    auto totals = device.allocate(sizeof(tensor::LossTotals), tensor::Memory::HostVisible);
    if (!totals) return fail(std::move(totals).error());
    workspace.totals_ = std::move(*totals);
    return workspace;
}

tensor::ConstMatrix Workspace::logits() const {
    return output(outputs_.size() - 1);
}

tensor::LossTotals Workspace::takeTotals() {
    return std::exchange(totals(), {});
}

tensor::LossTotals& Workspace::totals() {
    return totals_.as<tensor::LossTotals>().front();
}

tensor::Matrix Workspace::output(std::size_t layer) const {
    return {outputs_[layer].as<float>().data(), batch(), widths_[layer]};
}

tensor::Matrix Workspace::delta(std::size_t layer) const {
    return {deltas_[layer % deltas_.size()].as<float>().data(), batch(), widths_[layer]};
}

}  // namespace lockstep::nn
