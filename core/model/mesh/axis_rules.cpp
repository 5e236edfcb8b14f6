// SPDX-License-Identifier: Apache-2.0
// Layouts by Keras' axis numbers, as rules in words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/model/mesh/keras_variables.h"
#include "core/model/mesh/layout_words.h"
#include "core/model/mesh/split_graph.h"

namespace lockstep::model {

namespace {

constexpr std::string_view kWhole = "whole";

bool isWordSign(char sign) {
    return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') ||
           (sign >= '0' && sign <= '9') || sign == '_' || sign == '-';
}

/// "axis 1 (out) or axis 2 (heads)"
std::string axesOf(const KerasVariable& variable) {
    std::vector<std::string> axes;
    for (std::size_t i = 0; i < variable.words.size(); ++i)
        if (!variable.words[i].empty())
            axes.push_back(fmt::format("{} ({})", i, variable.words[i]));
    return fmt::format("{}", fmt::join(axes, " or "));
}

std::string shown(const KerasVariable& variable) {
    return fmt::format("{} ({})", variable.path, fmt::join(variable.shape, ", "));
}

/// The word that a variable's tensors get.
Result<std::string_view> wordFor(const KerasVariable& variable, AxisCut cut, std::int64_t members) {
    if (cut.axis < 0) return kWhole;
    const auto axis = static_cast<std::size_t>(cut.axis);
    const std::string_view word = variable.words[axis];
    if (word.empty())
        return fail(ErrorCode::BadInput,
                    fmt::format("{}: nothing is shared along its axis {}", shown(variable), axis),
                    fmt::format("It can be shared along axis {}.", axesOf(variable)));
    if (variable.shape[axis] % members != 0)
        return fail(ErrorCode::BadInput,
                    fmt::format("{}: its axis {} cannot be divided among {}", shown(variable), axis,
                                counted(members, "device")),
                    fmt::format("Its size there must be a multiple of {}.", members));
    return word;
}

/// A pattern that matches this name alone.
std::string patternOf(const std::string& name) {
    std::string pattern;
    for (const char sign : name) {
        if (!isWordSign(sign)) pattern += '\\';
        pattern += sign;
    }
    return pattern;
}

/// What variables ask of the tensors that they are.
class Wishes {
public:
    Wishes(const Graph& graph, const std::vector<KerasVariable>& variables,
           const std::vector<std::optional<AxisCut>>& asked, std::int64_t members)
        : graph_(graph), variables_(variables), asked_(asked), members_(members) {}

    Result<std::vector<LayoutRule>> rules() {
        for (std::size_t i = 0; i < variables_.size(); ++i)
            TRY(note(i));
        std::vector<LayoutRule> rules;
        for (const auto& [tensor, wish] : wishes_)
            if (!wish.word.empty() && role(tensor) == Tensor::Role::Parameter)
                rules.push_back({patternOf(name(tensor)), std::string(wish.word)});
        TRY(checkGranted(rules));
        return rules;
    }

private:
    struct Wish {
        std::string_view word;  ///< Empty: nothing is asked.
        std::size_t variable = 0;
    };

    [[nodiscard]] const std::string& name(int tensor) const {
        return graph_.tensors[static_cast<std::size_t>(tensor)].name;
    }
    [[nodiscard]] Tensor::Role role(int tensor) const {
        return graph_.tensors[static_cast<std::size_t>(tensor)].role;
    }

    Result<void> note(std::size_t index) {
        const KerasVariable& variable = variables_[index];
        Wish wish{.word = {}, .variable = index};
        if (asked_[index]) wish.word = TRY(wordFor(variable, *asked_[index], members_));
        for (const int tensor : variable.tensors) {
            const auto [place, isNew] = wishes_.try_emplace(tensor, wish);
            if (isNew || place->second.word == wish.word) continue;
            return fail(ErrorCode::BadInput,
                        fmt::format("{} and {} are one tensor here, {}, and must be laid out "
                                    "alike: the one is asked to be {}, the other {}",
                                    variables_[place->second.variable].path, variable.path,
                                    name(tensor), textOf(place->second), textOf(wish)),
                        "Let one key match them all, or give each the same layout.");
        }
        return {};
    }

    [[nodiscard]] static std::string textOf(const Wish& wish) {
        if (wish.word.empty()) return "anyhow, as it has no layout";
        if (wish.word == kWhole) return "whole";
        return fmt::format("shared along {}", wish.word);
    }

    /// Statistics have no rules of their own, and a normalisation's parts lie as the channels do
    /// that it gets: what was asked of them is held against what comes of it.
    [[nodiscard]] Result<void> checkGranted(const std::vector<LayoutRule>& rules) const {
        const MeshLayout layout = TRY(layOut(graph_, rules, members_));
        const Graph part = splitGraph(graph_, layout, 0);
        for (const auto& [tensor, wish] : wishes_) {
            if (wish.word.empty()) continue;
            const TensorShard& got = part.shards[static_cast<std::size_t>(tensor)];
            const auto cut = cutOf(graph_, tensor, wish.word);
            if (got.axis == (cut ? cut->axis : -1)) continue;
            return fail(ErrorCode::BadInput,
                        fmt::format("{}: it is asked to be {}, but it is {} here, as the channels "
                                    "that its layer gets",
                                    shown(variables_[wish.variable]), textOf(wish),
                                    got.isWhole() ? "whole" : "shared"),
                        "Give it no layout, or lay out the layer before it alike.");
        }
        return {};
    }

    const Graph& graph_;
    const std::vector<KerasVariable>& variables_;
    const std::vector<std::optional<AxisCut>>& asked_;
    const std::int64_t members_;
    std::map<int, Wish> wishes_;
};

}  // namespace

Result<std::vector<LayoutRule>> rulesOfAxes(const Graph& graph,
                                            const std::vector<KerasVariable>& variables,
                                            const std::vector<std::optional<AxisCut>>& asked,
                                            std::int64_t members) {
    return Wishes(graph, variables, asked, members).rules();
}

}  // namespace lockstep::model
