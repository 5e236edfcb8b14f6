// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include "core/model/build_graph.h"
#include "core/model/description/read_description.h"

namespace lockstep::model::test {

/// [model] of a TOML text; a text without a table is taken for model.layers' elements.
inline DescriptionReading read(const std::string& text) {
    const bool isWhole = text.find("[model") != std::string::npos;
    const auto root = config::parseToml(isWhole ? text : "[model]\nlayers = [\n" + text + "\n]\n");
    if (!root) return {{}, {{{"the text", root.error().line, 0}, root.error().message, {}}}};
    const config::TomlValue* model = root->find("model");
    return readDescription(model != nullptr ? *model : config::TomlValue{});
}

/// "LINE:COLUMN PATH MESSAGE" of the first problem, or "a network".
inline std::string mistakeIn(const std::string& text, const DataFacts& facts) {
    const auto said = [](const Problem& problem) {
        const std::string remedy = problem.remedy.empty() ? " WITHOUT REMEDY" : "";
        return std::to_string(problem.place.line) + ":" + std::to_string(problem.place.column) +
               " " + sentenceOf(problem) + remedy;
    };
    const DescriptionReading reading = read(text);
    if (!reading.problems.empty()) return said(reading.problems.front());
    const auto graph = buildGraph(reading.description, facts);
    return graph ? std::string("a network") : said(graph.error());
}

inline DataFacts images(std::int64_t side, std::int64_t channels) {
    return {.input = {side, side, channels}, .columns = {}, .classes = 10};
}

/// The network of a text; an empty one, with the reason printed, when it is none.
inline Graph graphOf(const std::string& text, const DataFacts& facts) {
    const DescriptionReading reading = read(text);
    for (const Problem& problem : reading.problems)
        qWarning("%s", sentenceOf(problem).c_str());
    if (!reading.problems.empty()) return {};
    auto graph = buildGraph(reading.description, facts);
    if (!graph) qWarning("%s", sentenceOf(graph.error()).c_str());
    return graph ? *std::move(graph) : Graph{};
}

/// A file of tests/core/model/models.
inline std::string modelFile(const std::string& name) {
    const std::ifstream file(std::string(LOCKSTEP_SOURCE_DIR "/tests/core/model/models/") + name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// A line a tensor: "conv1.weight 64 x 3 x 3 x 3".
inline std::string tensorLines(const Graph& graph) {
    std::string lines;
    for (const Tensor& tensor : graph.tensors)
        lines += tensor.name + " " + toString(tensor.shape) + "\n";
    return lines;
}

inline std::int64_t statisticCount(const Graph& graph) {
    std::int64_t count = 0;
    for (const Tensor& tensor : graph.tensors)
        if (tensor.role == Tensor::Role::Statistic) count += tensor.size();
    return count;
}

}  // namespace lockstep::model::test
