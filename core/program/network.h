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

/// A job's network: its graph, and where its tensors lie in the flat buffers that the caller owns.
/// Immutable: all replicas of a process share one.
class Network {
public:
    explicit Network(model::Graph graph);

    [[nodiscard]] const model::Graph& graph() const { return graph_; }
    /// Floats a sample, of what goes in and comes out.
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

    /// A tensor's part of the flat buffer of its role.
    [[nodiscard]] std::span<float> view(std::size_t tensor, std::span<float> flat) const;
    [[nodiscard]] std::span<const float> view(std::size_t tensor,
                                              std::span<const float> flat) const;
    [[nodiscard]] std::size_t offset(std::size_t tensor) const { return layout_.offsets[tensor]; }

    /// Where buckets of gradients may be cut: the first parameter of each node that has some,
    /// ascending; for collective::planBuckets.
    [[nodiscard]] const std::vector<std::size_t>& cuts() const { return cuts_; }

    /// The values before the first step, of both buffers. Host memory.
    void initialise(std::span<float> parameters, std::span<float> statistics,
                    std::uint64_t seed) const;

private:
    model::Graph graph_;
    ParameterLayout layout_;
    std::vector<std::size_t> cuts_;
};

}  // namespace lockstep::program
