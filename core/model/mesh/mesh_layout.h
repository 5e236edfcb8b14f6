// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/graph.h"

namespace lockstep::model {

/// Which tensors are cut among the members of a mesh's group, and along what. A tensor's name that
/// is written out means that tensor alone, and goes first, as in Keras' LayoutMap; a pattern must
/// match all of a name.
struct LayoutRule {
    std::string tensors;  ///< A name, or a regular expression: "layers\\.\\d+\\.weight".
    std::string along;    ///< One of layoutWords().

    [[nodiscard]] bool operator==(const LayoutRule&) const = default;
};

/// The words for what a tensor is cut along, which mean the same whatever the order of its
/// dimensions: out, in, heads, vocabulary, features; and whole, of a tensor that is not cut.
[[nodiscard]] const std::vector<std::string>& layoutWords();

/// How a network's tensors lie on a group of members.
struct MeshLayout {
    std::int64_t members = 1;
    std::vector<TensorShard> shards;     ///< Of each tensor, as member 0 holds it.
    std::vector<bool> isRuled;           ///< Of each tensor: a rule names it.
    std::vector<std::string> unmatched;  ///< Patterns that match no tensor, sorted.
    /// Weights that are cut by their outputs, but must be gathered for each use: a rule keeps the
    /// bias whole.
    std::vector<std::string> gatheredForBias{};
};

/// What the rules say of a network. A bias that no rule names lies as its weight's outputs do.
/// BadInput: a pattern that is none, a tensor that two of them match, a word that a tensor has not,
/// a size that `members` do not divide; then the remedy names what would.
[[nodiscard]] Result<MeshLayout> layOut(const Graph& graph, const std::vector<LayoutRule>& rules,
                                        std::int64_t members);

/// The rules of Megatron-LM for blocks of attention and of two dense layers: heads; the first of
/// the two by its outputs, the second by its inputs, so that a block exchanges once in each
/// direction. Names tensors, not patterns.
[[nodiscard]] std::vector<LayoutRule> megatronRules(const Graph& graph);

}  // namespace lockstep::model
