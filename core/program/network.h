// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/model/graph.h"
#include "core/program/parameter_layout.h"

namespace lockstep::program {

/// A tensor with its place in the flat buffer of its role.
struct PlacedTensor {
    std::string name;  ///< As PyTorch names it.
    model::Shape shape;
    model::Tensor::Role role = model::Tensor::Role::Parameter;
    std::size_t offset = 0;  ///< First element, in floats.

    [[nodiscard]] std::size_t size() const {
        return static_cast<std::size_t>(model::elementCount(shape));
    }
    [[nodiscard]] bool isStatistic() const { return role == model::Tensor::Role::Statistic; }
    /// Its part of a flat buffer of its role.
    template <typename T>
    [[nodiscard]] std::span<T> in(std::span<T> flat) const {
        return flat.subspan(offset, size());
    }
};

/// A job's network: its graph, and where its tensors lie in the flat buffers that the caller owns.
/// Immutable: all replicas of a process share one.
class Network {
public:
    explicit Network(model::Graph graph);

    [[nodiscard]] const model::Graph& graph() const { return graph_; }
    /// Floats a sample, of what goes in (named columns included) and comes out.
    [[nodiscard]] std::size_t inputFeatures() const;
    [[nodiscard]] std::size_t outputFeatures() const;

    /// Floats of a flat buffer, with the gaps (at most 15 floats a tensor) that align tensors to
    /// cache lines. Gaps must be zero in a new buffer; they stay zero.
    [[nodiscard]] std::size_t parameterCount() const { return layout_.parameters; }
    [[nodiscard]] std::size_t statisticsCount() const { return layout_.statistics; }
    /// Whether a normalisation keeps statistics of its replica alone.
    [[nodiscard]] bool hasLocalStatistics() const;
    /// Numbers that training changes, without gaps: what people call the size of the network.
    [[nodiscard]] std::size_t trainableCount() const;

    /// In the order of the graph: layers.0.weight [out, in], layers.0.bias [out], …
    [[nodiscard]] const std::vector<PlacedTensor>& tensors() const { return tensors_; }

    /// Where buckets of gradients may be cut: the first parameter of each node that has some,
    /// ascending; for collective::planBuckets.
    [[nodiscard]] const std::vector<std::size_t>& cuts() const { return cuts_; }

    /// The values before the first step. Host memory; `statistics` may be empty where there are
    /// none.
    void initialise(std::span<float> parameters, std::uint64_t seed,
                    std::span<float> statistics = {}) const;

private:
    model::Graph graph_;
    ParameterLayout layout_;
    std::vector<PlacedTensor> tensors_;
    std::vector<std::size_t> cuts_;
};

}  // namespace lockstep::program
