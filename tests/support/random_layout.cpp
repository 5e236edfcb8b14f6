// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_layout.h"

#include "core/base/rng.h"
#include "core/model/mesh/layout_words.h"

namespace lockstep::testing {

model::MeshLayout drawLayout(const model::Graph& graph, std::int64_t members, std::uint64_t seed) {
    CounterRng rng(seed, 9);
    std::vector<model::LayoutRule> rules;
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        const auto words = model::wordsOf(graph, static_cast<int>(i));
        if (graph.tensors[i].role != model::Tensor::Role::Parameter || words.empty()) continue;
        if (rng.nextBelow(4) == 0) continue;
        rules.push_back({graph.tensors[i].name,
                         words[rng.nextBelow(static_cast<std::uint32_t>(words.size()))]});
        if (!model::layOut(graph, rules, members)) rules.pop_back();
    }
    return model::layOut(graph, rules, members).value();
}

}  // namespace lockstep::testing
