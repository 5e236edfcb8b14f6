// SPDX-License-Identifier: Apache-2.0
#include "core/model/build_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/base/check.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/model/description/parameters.h"
#include "core/model/layer_families.h"

namespace lockstep::model {

namespace {

constexpr int kDeepestBlock = 32;

/// What a block's user gave, and where the user wrote it.
struct Given {
    std::vector<Option> options;
    std::map<std::string, std::string, std::less<>> paths;
};

/// A list of layers that is being gone through, with those within its residuals.
struct Scope {
    std::map<std::string, int, std::less<>> names;  ///< Nodes.
    std::string prefix;                             ///< Of the full names: "layer1.0.".
    const Given* given = nullptr;                   ///< In a block.
    std::string user;  ///< Path of the block's use in model.layers; empty: none.
    int depth = 0;     ///< Of blocks within blocks.
};

/// Parameters of an entry replaced by their values.
struct Resolved {
    std::vector<Option> options;
    std::map<std::string, std::string, std::less<>> paths;  ///< Where the values were written.
};

class Expander {
public:
    Expander(const Description& description, const DataFacts& facts)
        : description_(description), facts_(facts) {}

    tl::expected<Graph, Problem> run() {
        graph().input = facts_.input;
        for (const Column& column : facts_.columns)
            graph().columns.push_back(column.shape);
        graph().nodes.push_back({.operation = Input{},
                                 .inputs = {},
                                 .tensors = {},
                                 .shape = facts_.input,
                                 .layer = -1});
        if (description_.layers.empty())
            return tl::unexpected(Problem{{"model.layers", 0, 0},
                                          "is empty: a network needs a layer",
                                          "Give at least one layer, such as { type = \"dense\", "
                                          "units = 10 }."});
        addNormalization();
        Scope scope;
        scope.names["data"] = data_;
        const bool isBuilt = isPossible(facts_.input) && checkFacts() &&
                             expandList(description_.layers, data_, scope, "layers.").has_value();
        if (!isBuilt || !checkAllUsed()) return tl::unexpected(std::move(problem_));
        return std::move(draft_.graph);
    }

private:
    Graph& graph() { return draft_.graph; }
    const Shape& shapeOf(int node) { return graph().nodes[static_cast<std::size_t>(node)].shape; }

    /// It belongs to the data, so it is of no layer.
    void addNormalization() {
        if (facts_.inputScale.empty()) return;
        graph().nodes.push_back({.operation = Affine{facts_.inputScale, facts_.inputOffset},
                                 .inputs = {data_},
                                 .tensors = {},
                                 .shape = facts_.input,
                                 .layer = -1});
        data_ = static_cast<int>(graph().nodes.size()) - 1;
    }

    /// The node of the last entry's output; nothing when there is a problem. `local`: what unnamed
    /// entries are called, before their number.
    std::optional<int> expandList(const std::vector<Entry>& entries, int input, Scope& scope,
                                  const std::string& local) {
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const Entry& entry = entries[i];
            const std::string name = entry.name.empty() ? local + std::to_string(i) : entry.name;
            const auto output = expandEntry(entry, input, scope, name);
            if (!output) return std::nullopt;
            input = *output;
            if (!entry.name.empty()) scope.names[entry.name] = input;
        }
        return input;
    }

    std::optional<int> expandEntry(const Entry& entry, int before, Scope& scope,
                                   const std::string& name) {
        std::vector<int> inputs;
        for (const InputName& input : entry.inputs) {
            const auto node = nodeNamed(input, scope);
            if (!node) return std::nullopt;
            inputs.push_back(*node);
        }
        if (inputs.empty()) inputs.push_back(before);
        switch (entry.kind) {
            case Entry::Kind::Residual:
                return expandResidual(entry, inputs.front(), scope, name);
            case Entry::Kind::BlockUse:
                return expandUse(entry, inputs.front(), scope, name);
            case Entry::Kind::Layer:
                break;
        }
        const LayerType* type = findLayerType(entry.type);
        const BuildLayer build = findBuilder(entry.type);
        LS_CHECK(type != nullptr && build != nullptr, "a description has known types of layers");
        return addLayer(entry, *type, std::move(inputs), scope, name, build);
    }

    /// One layer of the graph, of an entry or of a residual's sum, with its activation.
    std::optional<int> addLayer(const Entry& entry, const LayerType& type, std::vector<int> inputs,
                                const Scope& scope, const std::string& name, BuildLayer build) {
        const auto resolved = resolve(entry, type, scope);
        if (!resolved) return std::nullopt;
        const std::string full = scope.prefix + name;
        if (graph().layers.size() == kMostLayers)
            return refuse(
                entry.place, scope,
                fmt::format("is one layer more than the {} that a model may have", kMostLayers),
                "Use fewer repetitions.");
        if (!layerNames_.insert(full).second)
            return refuse(entry.place, scope,
                          fmt::format("is a second layer with the full name \"{}\"", full),
                          "Choose another name for one of them.");
        graph().layers.push_back(
            {.name = full, .type = type.name, .place = entry.place.path, .output = {}});
        const LayerOptions options(type, resolved->options, description_.findDefaults(type.name));
        LayerBuilder layer(draft_, facts_, options, std::move(inputs));
        auto output = build(layer);
        if (output && type.find("activation") != nullptr && build != buildActivation)
            output = addActivation(layer, *output);
        if (!output)
            return refuse(entry.place, scope, output.error().message, output.error().remedy);
        return *output;
    }

    std::optional<int> expandResidual(const Entry& entry, int input, Scope& scope,
                                      const std::string& name) {
        const auto body = expandList(entry.layers, input, scope, name + ".residual.");
        if (!body) return std::nullopt;
        const auto past = expandList(entry.shortcut, input, scope, name + ".shortcut.");
        if (!past) return std::nullopt;
        if (shapeOf(*body) != shapeOf(*past))
            return refuse(
                entry.place, scope,
                fmt::format("adds what its layers give, {}, to what its shortcut gives, {}",
                            toString(shapeOf(*body)), toString(shapeOf(*past))),
                "Make both equal: by the layers' sizes, or by a shortcut that changes "
                "what it takes in the same way.");
        return addLayer(entry, residualType(), {*body, *past}, scope, name, buildAdd);
    }

    std::optional<int> expandUse(const Entry& use, int input, const Scope& scope,
                                 const std::string& name) {
        const Block* block = description_.findBlock(use.type);
        LS_CHECK(block != nullptr, "a description's blocks are there");
        if (scope.depth == kDeepestBlock)
            return refuse(use.place, scope,
                          fmt::format("stands in {} blocks, one within another", kDeepestBlock),
                          "Use fewer blocks within blocks.");
        const Given given = givenBy(use, scope);
        const auto repeat = repeatOf(use, scope);
        if (!repeat) return std::nullopt;
        for (std::int64_t i = 0; i < *repeat; ++i) {
            Scope inner{
                .names = {},
                .prefix = scope.prefix + name + (use.repeat ? "." + std::to_string(i) + "." : "."),
                .given = &given,
                .user = scope.user.empty() ? use.place.path : scope.user,
                .depth = scope.depth + 1};
            inner.names["data"] = data_;
            inner.names["input"] = input;
            const auto output = expandList(block->layers, input, inner, "layers.");
            if (!output) return std::nullopt;
            input = *output;
        }
        return input;
    }

    std::optional<std::int64_t> repeatOf(const Entry& use, const Scope& scope) {
        if (!use.repeat) return 1;
        const config::TomlValue value =
            scope.given != nullptr ? substitute(*use.repeat, scope.given->options) : *use.repeat;
        if (const auto wrong = misfit(value, repeatOption())) {
            refuse({use.place.path + ".repeat", value.line, value.column}, scope, *wrong,
                   "Give a whole number from 1.");
            return std::nullopt;
        }
        return value.integer;
    }

    static Given givenBy(const Entry& use, const Scope& scope) {
        Given given;
        for (const Option& option : use.options) {
            given.paths[option.name] = use.place.path + "." + option.name;
            if (scope.given == nullptr) {
                given.options.push_back(option);
                continue;
            }
            given.options.push_back({option.name, substitute(option.value, scope.given->options)});
            if (const std::string* path = pathOf(option.value, *scope.given))
                given.paths[option.name] = *path;
        }
        return given;
    }

    /// Where what stands for "$name" was written; null for another value.
    static const std::string* pathOf(const config::TomlValue& value, const Given& given) {
        if (!value.text.starts_with('$')) return nullptr;
        const auto found = given.paths.find(std::string_view(value.text).substr(1));
        return found == given.paths.end() ? nullptr : &found->second;
    }

    /// The options with values for parameters; these are checked here, where they are known.
    std::optional<Resolved> resolve(const Entry& entry, const LayerType& type, const Scope& scope) {
        Resolved resolved;
        for (const Option& option : entry.options) {
            if (scope.given == nullptr || !hasParameter(option.value)) {
                resolved.options.push_back(option);
                continue;
            }
            config::TomlValue value = substitute(option.value, scope.given->options);
            const OptionType* known = type.find(option.name);
            const std::string own = entry.place.path + "." + option.name;
            if (const auto wrong = misfit(value, *known)) {
                const std::string* path = pathOf(option.value, *scope.given);
                refuse({path != nullptr ? *path : own, value.line, value.column}, scope,
                       fmt::format("{}: it is {} of {} in {}", *wrong, option.name, type.name,
                                   entry.place.path),
                       fmt::format("Give {}.", expectation(*known)));
                return std::nullopt;
            }
            resolved.options.push_back({option.name, std::move(value)});
        }
        return resolved;
    }

    std::optional<int> nodeNamed(const InputName& input, Scope& scope) {
        const auto known = scope.names.find(input.name);
        if (known != scope.names.end()) return known->second;
        constexpr std::string_view kData = "data.";
        LS_CHECK(input.name.starts_with(kData), "a description's names are there");
        const std::string_view name = std::string_view(input.name).substr(kData.size());
        const auto column = std::ranges::find(facts_.columns, name, &Column::name);
        if (column == facts_.columns.end()) return refuseColumn(input, scope);
        const auto [node, isNew] = columnNodes_.try_emplace(std::string(name), 0);
        if (isNew) {
            graph().nodes.push_back({.operation = Input{column - facts_.columns.begin()},
                                     .inputs = {},
                                     .tensors = {},
                                     .shape = column->shape,
                                     .layer = -1});
            node->second = static_cast<int>(graph().nodes.size()) - 1;
        }
        return node->second;
    }

    std::nullopt_t refuseColumn(const InputName& input, const Scope& scope) {
        std::vector<std::string> names;
        for (const Column& column : facts_.columns)
            names.push_back("data." + column.name);
        return refuse(
            input.place, scope,
            fmt::format("is \"{}\", but the data has no such column", sanitizeLine(input.name, 60)),
            names.empty() ? std::string("The data has no columns besides \"data\".")
                          : fmt::format("There are {}.", joinWords(names)));
    }

    bool checkFacts() {
        return std::ranges::all_of(facts_.columns,
                                   [](const Column& column) { return isPossible(column.shape); });
    }

    /// A layer whose output nobody takes would be trained in vain: it is a slip.
    bool checkAllUsed() {
        std::vector<bool> used(graph().nodes.size());
        used.back() = true;
        for (const Node& node : graph().nodes)
            for (const int input : node.inputs)
                used[static_cast<std::size_t>(input)] = true;
        for (std::size_t i = 0; i < used.size(); ++i) {
            const Node& node = graph().nodes[i];
            if (used[i] || node.layer < 0) continue;
            const Layer& layer = graph().layers[static_cast<std::size_t>(node.layer)];
            problem_ = {{layer.place, 0, 0},
                        fmt::format("gives {}, which no later layer takes", toString(node.shape)),
                        "Name it as input of a later layer, or remove it."};
            return false;
        }
        return true;
    }

    std::nullopt_t refuse(const Place& place, const Scope& scope, std::string message,
                          std::string remedy) {
        if (!scope.user.empty() && !place.path.starts_with(scope.user))
            message += fmt::format(" (used by {})", scope.user);
        problem_ = {place, std::move(message), std::move(remedy)};
        return std::nullopt;
    }

    const Description& description_;
    const DataFacts& facts_;
    int data_ = 0;  ///< The node that "data" means: the input, or what it is made of first.
    GraphDraft draft_;
    std::set<std::string> layerNames_;
    std::map<std::string, int, std::less<>> columnNodes_;
    Problem problem_{
        {"model.layers", 0, 0},
        "is for data whose samples have a size of 0, or of more than 2147483648 numbers",
        "See whether these are the files you mean."};
};

}  // namespace

tl::expected<Graph, Problem> buildGraph(const Description& description, const DataFacts& facts) {
    return Expander(description, facts).run();
}

}  // namespace lockstep::model
