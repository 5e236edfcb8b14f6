// SPDX-License-Identifier: Apache-2.0
#include "core/data/text/piece_trie.h"

#include <algorithm>

namespace lockstep::data {

PieceTrie::PieceTrie(std::vector<std::pair<std::string_view, std::int32_t>> texts) {
    std::ranges::sort(texts);
    struct Open {
        std::uint32_t node = 0;
        std::size_t depth = 0;
        std::size_t begin = 0;  ///< Of the texts that go through it.
        std::size_t end = 0;
    };
    nodes_.emplace_back();
    std::vector<Open> open{{0, 0, 0, texts.size()}};
    for (std::size_t next = 0; next < open.size(); ++next) {  // grows meanwhile
        auto [node, depth, begin, end] = open[next];
        if (begin < end && texts[begin].first.size() == depth)
            nodes_[node].value = texts[begin++].second;
        nodes_[node].firstEdge = static_cast<std::uint32_t>(labels_.size());
        while (begin < end) {
            const char label = texts[begin].first[depth];
            std::size_t last = begin;
            while (last < end && texts[last].first[depth] == label)
                ++last;
            labels_.push_back(static_cast<std::uint8_t>(label));
            targets_.push_back(static_cast<std::uint32_t>(nodes_.size()));
            open.push_back({targets_.back(), depth + 1, begin, last});
            nodes_.emplace_back();
            begin = last;
        }
        nodes_[node].edges = static_cast<std::uint32_t>(labels_.size()) - nodes_[node].firstEdge;
    }
}

bool PieceTrie::step(std::uint32_t& node, std::uint8_t label) const {
    const auto first = labels_.begin() + nodes_[node].firstEdge;
    const auto end = first + nodes_[node].edges;
    const auto edge = std::lower_bound(first, end, label);
    if (edge == end || *edge != label) return false;
    node = targets_[static_cast<std::size_t>(edge - labels_.begin())];
    return true;
}

}  // namespace lockstep::data
