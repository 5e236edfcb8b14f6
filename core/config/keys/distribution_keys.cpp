// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/distribution_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/config/job/cluster_spec.h"
#include "core/model/mesh/mesh_layout.h"

namespace lockstep::config {

namespace {

using Kind = TomlValue::Kind;

constexpr const char* kMegatron = "megatron";
constexpr const char* kExample =
    "Write layout = \"megatron\", or for example layout = { \"layers\\\\.0\\\\..*\" = \"out\" }.";

/// "is 3, but must be one of out, in, …, did you mean "out"?"
Problem wordProblem(const TomlEntry& entry) {
    const auto& words = model::layoutWords();
    const std::string meant =
        entry.value.kind == Kind::String ? didYouMean(entry.value.text, words) : std::string();
    return {
        placeOf(entry.value),
        {},
        fmt::format("has \"{}\" = {}, but a tensor is cut along one of {}{}",
                    sanitizeLine(entry.key, 60), shownValue(entry.value), joinWords(words), meant),
        kExample};
}

Problems readRules(const TomlValue& table, DistributionSpec& distribution) {
    Problems problems;
    const auto& words = model::layoutWords();
    std::vector<model::LayoutRule> rules;
    for (const TomlEntry& entry : table.entries) {
        const bool isWord = entry.value.kind == Kind::String &&
                            std::ranges::find(words, entry.value.text) != words.end();
        if (isWord)
            rules.push_back({entry.key, entry.value.text});
        else
            problems.push_back(wordProblem(entry));
    }
    if (!problems.empty()) return problems;
    distribution.isMegatron = false;
    distribution.layout = std::move(rules);
    return {};
}

Problems readLayout(const TomlValue& value, JobSpec& spec) {
    if (value.kind == Kind::Table) return readRules(value, spec.distribution);
    if (value.kind == Kind::String && value.text == kMegatron) {
        spec.distribution.isMegatron = true;
        spec.distribution.layout.clear();
        return {};
    }
    const std::string meant =
        value.kind == Kind::String ? didYouMean(value.text, {kMegatron}) : std::string();
    return {{placeOf(value),
             {},
             fmt::format("is {}, but must be \"{}\" or a table of tensor names{}",
                         shownValue(value), kMegatron, meant),
             kExample}};
}

std::string writeLayout(const JobSpec& spec) {
    const DistributionSpec& distribution = spec.distribution;
    if (distribution.isMegatron) return tomlString(kMegatron);
    std::vector<std::string> rules;
    for (const model::LayoutRule& rule : distribution.layout)
        rules.push_back(tomlString(rule.tensors) + " = " + tomlString(rule.along));
    return rules.empty() ? std::string() : fmt::format("{{ {} }}", fmt::join(rules, ", "));
}

}  // namespace

std::vector<Key<JobSpec>> distributionKeys() {
    using Spec = JobSpec;
    Key<Spec> layout;
    layout.help.kind = ValueKind::WordOrTable;
    layout.help.words = {kMegatron};
    layout.read = readLayout;
    layout.write = writeLayout;
    return {
        named("distribution.mesh.batch", "rows",
              "Among how many the samples of a step are shared, each a row of mesh.model "
              "replicas; 0: as many as the replicas give.",
              integerKey<Spec>(at<&Spec::distribution, &DistributionSpec::batch>,
                               {0, kMostProcesses})),
        named("distribution.mesh.model", "columns",
              "Among how many replicas of a row the network's tensors are shared, as "
              "distribution.layout says; 1: each has all of them.",
              integerKey<Spec>(at<&Spec::distribution, &DistributionSpec::model>,
                               {1, kMostProcesses})),
        named("distribution.layout", "",
              "Which tensors the replicas of a row share, and along what: patterns of names "
              "with out, in, heads, vocabulary, features or whole, as { \"layers\\\\.0\\\\..*\" "
              "= \"out\" }; a name that is written out goes first, what no pattern matches all "
              "have whole. megatron: attention by heads, pairs of dense layers by out and in.",
              std::move(layout)),
    };
}

}  // namespace lockstep::config
