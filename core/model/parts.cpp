// SPDX-License-Identifier: Apache-2.0
#include "core/model/parts.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/model/description/parameters.h"
#include "core/model/layer_builder.h"

namespace lockstep::model {

namespace {

/// Goes the way that buildGraph() goes, which appends its layers in this order.
class Nesting {
public:
    Nesting(const Description& description, const Graph& graph)
        : description_(description), graph_(graph) {}

    /// `prefix`: of the full names; `local`: what unnamed entries are called, before their number.
    std::vector<Part> partsOf(const std::vector<Entry>& entries, const std::vector<Option>& given,
                              const std::string& prefix, const std::string& local) {
        std::vector<Part> parts;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const Entry& entry = entries[i];
            const std::string name = entry.name.empty() ? local + std::to_string(i) : entry.name;
            switch (entry.kind) {
                case Entry::Kind::Layer:
                    parts.push_back(layerPart(Part::Kind::Layer));
                    break;
                case Entry::Kind::Residual:
                    parts.push_back(residualPart(entry, given, prefix, name));
                    break;
                case Entry::Kind::BlockUse:
                    addUses(entry, given, prefix + name, parts);
                    break;
            }
        }
        return parts;
    }

private:
    Part layerPart(Part::Kind kind) {
        LS_CHECK(next_ < graph_.layers.size(), "a graph is of its description");
        const Layer& layer = graph_.layers[next_];
        return {kind, layer.name, layer.type, layer.place, static_cast<int>(next_++)};
    }

    Part residualPart(const Entry& entry, const std::vector<Option>& given,
                      const std::string& prefix, const std::string& name) {
        std::vector<Part> body = partsOf(entry.layers, given, prefix, name + ".residual.");
        std::vector<Part> shortcut = partsOf(entry.shortcut, given, prefix, name + ".shortcut.");
        Part part = layerPart(Part::Kind::Residual);
        part.body = std::move(body);
        part.shortcut = std::move(shortcut);
        return part;
    }

    void addUses(const Entry& use, const std::vector<Option>& given, const std::string& name,
                 std::vector<Part>& parts) {
        const Block* block = description_.findBlock(use.type);
        LS_CHECK(block != nullptr, "a description's blocks are there");
        std::vector<Option> options;
        for (const Option& option : use.options)
            options.push_back({option.name, substitute(option.value, given)});
        const std::int64_t repeat = use.repeat ? substitute(*use.repeat, given).integer : 1;
        for (std::int64_t i = 0; i < repeat; ++i) {
            Part part{Part::Kind::Block, use.repeat ? fmt::format("{}.{}", name, i) : name,
                      use.type, use.place.path};
            part.body = partsOf(block->layers, options, part.name + ".", "layers.");
            parts.push_back(std::move(part));
        }
    }

    const Description& description_;
    const Graph& graph_;
    std::size_t next_ = 0;
};

}  // namespace

std::vector<Part> partsOf(const Description& description, const Graph& graph) {
    return Nesting(description, graph).partsOf(description.layers, {}, {}, "layers.");
}

PartTotals totalsOf(const Part& part, const Graph& graph) {
    PartTotals totals;
    if (part.layer >= 0) {
        const Layer& layer = graph.layers[static_cast<std::size_t>(part.layer)];
        totals = {layer.parameters, layer.flops, layer.activations, 1};
    }
    for (const auto* parts : {&part.body, &part.shortcut})
        for (const Part& inner : *parts) {
            const PartTotals more = totalsOf(inner, graph);
            totals.parameters = saturatingSum(totals.parameters, more.parameters);
            totals.flops = saturatingSum(totals.flops, more.flops);
            totals.activations = saturatingSum(totals.activations, more.activations);
            totals.layers += more.layers;
        }
    return totals;
}

int lastLayerOf(const Part& part) {
    if (part.layer >= 0) return part.layer;
    return part.body.empty() ? -1 : lastLayerOf(part.body.back());
}

}  // namespace lockstep::model
