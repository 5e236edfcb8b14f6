// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::data {

/// Finds which texts of a set a text begins with.
class PieceTrie {
public:
    /// Texts, each once, with what they stand for.
    explicit PieceTrie(std::vector<std::pair<std::string_view, std::int32_t>> texts);

    /// Calls take(bytes, what it stands for) for each text of the set that `text` begins with, the
    /// shortest first.
    template <typename Take>
    void forEachPrefix(std::string_view text, Take take) const {
        std::uint32_t node = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (!step(node, static_cast<std::uint8_t>(text[i]))) return;
            if (nodes_[node].value >= 0) take(i + 1, nodes_[node].value);
        }
    }

private:
    struct Node {
        std::uint32_t firstEdge = 0;
        std::uint32_t edges = 0;
        std::int32_t value = -1;  ///< -1: no text ends here.
    };
    [[nodiscard]] bool step(std::uint32_t& node, std::uint8_t label) const;

    std::vector<Node> nodes_;
    std::vector<std::uint8_t> labels_;    ///< Of edges; those of a node lie together, in order.
    std::vector<std::uint32_t> targets_;  ///< Of edges.
};

}  // namespace lockstep::data
