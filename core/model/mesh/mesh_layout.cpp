// SPDX-License-Identifier: Apache-2.0
#include "core/model/mesh/mesh_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <regex>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/model/mesh/layout_words.h"

namespace lockstep::model {

namespace {

/// A rule that can be asked whether it means a tensor.
struct Pattern {
    const LayoutRule* rule = nullptr;
    std::regex expression{};
    bool isUsed = false;
    bool isName = false;  ///< Of a tensor: it means no other one.
};

std::string textOf(const LayoutRule& rule) {
    return fmt::format("\"{}\" = \"{}\"", sanitizeLine(rule.tensors, 80),
                       sanitizeLine(rule.along, 40));
}

Result<Pattern> patternOf(const LayoutRule& rule) {
    try {
        return Pattern{&rule, std::regex(rule.tensors)};
    } catch (const std::regex_error&) {
        return fail(ErrorCode::BadInput,
                    fmt::format("{} is no regular expression of tensor names", textOf(rule)),
                    "A point stands for any sign, .* for any number of them: \".*\\\\.weight\".");
    }
}

/// A name that is written out goes first; of patterns only one may match, as in Keras.
Result<Pattern*> ruleOf(std::vector<Pattern>& patterns, const std::string& name) {
    for (Pattern& one : patterns)
        if (one.rule->tensors == name) return &one;
    Pattern* found = nullptr;
    for (Pattern& one : patterns) {
        if (one.isName || !std::regex_match(name, one.expression)) continue;
        if (found != nullptr)
            return fail(ErrorCode::BadInput,
                        fmt::format("two rules match {}: {} and {}", name, textOf(*found->rule),
                                    textOf(*one.rule)),
                        "Write the patterns so that one tensor matches one of them, or name the "
                        "tensor itself in a rule: that goes first.");
        found = &one;
    }
    return found;
}

/// The counts from 2 that divide `units`, as far as a sentence has room.
std::string divisorsOf(std::int64_t units) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t one = 1; one <= units && divisors.size() < 6; ++one)
        if (units % one == 0) divisors.push_back(one);
    return fmt::format("{}", fmt::join(divisors, ", "));
}

Result<TensorShard> shardOf(const Graph& graph, int index, const LayoutRule& rule,
                            std::int64_t members) {
    const Tensor& tensor = graph.tensors[static_cast<std::size_t>(index)];
    const auto cut = cutOf(graph, index, rule.along);
    if (!cut)
        return fail(
            ErrorCode::BadInput,
            fmt::format("{} does not fit {} [{}]", textOf(rule), tensor.name,
                        fmt::join(tensor.shape, ", ")),
            fmt::format("It can be cut along: {}.", fmt::join(wordsOf(graph, index), ", ")));
    if (cut->axis < 0) return TensorShard{};
    if (cut->units % members != 0) {
        const std::int64_t less = cut->units / members * members;
        return fail(ErrorCode::BadInput,
                    fmt::format("{}: {} has {}, which {} cannot share", textOf(rule), tensor.name,
                                counted(cut->units, cut->unit), counted(members, "process")),
                    fmt::format("{}{} {} would divide, or mesh.model as one of {}.",
                                less > 0 ? fmt::format("{} or ", less) : "", less + members,
                                nounFor(2, cut->unit), divisorsOf(cut->units)));
    }
    return TensorShard{cut->axis, cut->segments, 0, members};
}

/// Of a product: its weight's dimension of outputs.
std::optional<int> outputAxis(const Operation& operation) {
    if (std::holds_alternative<Dense>(operation) || std::holds_alternative<Convolution>(operation))
        return 0;
    if (std::holds_alternative<TransposedConvolution>(operation)) return 1;
    return std::nullopt;
}

void letBiasesFollow(const Graph& graph, MeshLayout& layout) {
    for (const Node& node : graph.nodes) {
        const auto axis = outputAxis(node.operation);
        if (!axis || node.tensors.size() < 2) continue;
        const auto bias = static_cast<std::size_t>(node.tensors[1]);
        const TensorShard& weight = layout.shards[static_cast<std::size_t>(node.tensors[0])];
        if (weight.axis != *axis) continue;
        if (layout.isRuled[bias]) {
            if (layout.shards[bias].isWhole())
                layout.gatheredForBias.push_back(
                    graph.tensors[static_cast<std::size_t>(node.tensors[0])].name);
            continue;
        }
        layout.shards[bias] = weight;
        layout.shards[bias].axis = 0;
    }
}

}  // namespace

Result<MeshLayout> layOut(const Graph& graph, const std::vector<LayoutRule>& rules,
                          std::int64_t members) {
    std::vector<Pattern> patterns;
    for (const LayoutRule& rule : rules)
        patterns.push_back(TRY(patternOf(rule)));
    for (Pattern& pattern : patterns)
        pattern.isName = std::ranges::any_of(graph.tensors, [&pattern](const Tensor& tensor) {
            return tensor.name == pattern.rule->tensors;
        });
    MeshLayout layout{.members = members,
                      .shards = std::vector<TensorShard>(graph.tensors.size()),
                      .isRuled = std::vector<bool>(graph.tensors.size()),
                      .unmatched = {}};
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        // Statistics lie with what they are of.
        if (graph.tensors[i].role != Tensor::Role::Parameter) continue;
        Pattern* pattern = TRY(ruleOf(patterns, graph.tensors[i].name));
        if (pattern == nullptr) continue;
        pattern->isUsed = true;
        layout.isRuled[i] = true;
        layout.shards[i] = TRY(shardOf(graph, static_cast<int>(i), *pattern->rule, members));
    }
    letBiasesFollow(graph, layout);
    for (const Pattern& pattern : patterns)
        if (!pattern.isUsed) layout.unmatched.push_back(pattern.rule->tensors);
    std::ranges::sort(layout.unmatched);
    return layout;
}

namespace {

/// The nodes that read each node.
std::vector<std::vector<int>> readersIn(const Graph& graph) {
    std::vector<std::vector<int>> readers(graph.nodes.size());
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        for (const int input : graph.nodes[i].inputs)
            readers[static_cast<std::size_t>(input)].push_back(static_cast<int>(i));
    return readers;
}

bool worksNumberByNumber(const Operation& operation) {
    const auto* activation = std::get_if<Activation>(&operation);
    return std::holds_alternative<Dropout>(operation) ||
           (activation != nullptr && activation->function != Function::Softmax);
}

/// The dense layer that alone reads another one's outputs, with nothing between them but what
/// works number by number; -1: there is none.
int denseBehind(const Graph& graph, const std::vector<std::vector<int>>& readers, int from) {
    int at = from;
    while (readers[static_cast<std::size_t>(at)].size() == 1) {
        at = readers[static_cast<std::size_t>(at)].front();
        const Operation& operation = graph.nodes[static_cast<std::size_t>(at)].operation;
        if (std::holds_alternative<Dense>(operation)) return at;
        if (!worksNumberByNumber(operation)) return -1;
    }
    return -1;
}

}  // namespace

std::vector<LayoutRule> megatronRules(const Graph& graph) {
    std::vector<LayoutRule> rules;
    const auto readers = readersIn(graph);
    std::vector<bool> isTaken(graph.tensors.size());
    const auto cut = [&](int node, const char* along) {
        const int weight = graph.nodes[static_cast<std::size_t>(node)].tensors.front();
        isTaken[static_cast<std::size_t>(weight)] = true;
        rules.push_back({graph.tensors[static_cast<std::size_t>(weight)].name, along});
    };
    const auto isFree = [&](int node) {
        const Node& one = graph.nodes[static_cast<std::size_t>(node)];
        return std::holds_alternative<Dense>(one.operation) &&
               !isTaken[static_cast<std::size_t>(one.tensors.front())];
    };
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (!std::holds_alternative<Attention>(graph.nodes[i].operation)) continue;
        if (isFree(graph.nodes[i].inputs[0])) cut(graph.nodes[i].inputs[0], "heads");
        if (readers[i].size() == 1 && isFree(readers[i].front())) cut(readers[i].front(), "heads");
    }
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const auto index = static_cast<int>(i);
        if (!isFree(index)) continue;
        const int behind = denseBehind(graph, readers, index);
        if (behind < 0 || !isFree(behind)) continue;
        cut(index, "out");
        cut(behind, "in");
    }
    return rules;
}

}  // namespace lockstep::model
