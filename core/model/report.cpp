// SPDX-License-Identifier: Apache-2.0
#include "core/model/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/model/layer_builder.h"

namespace lockstep::model {

namespace {

constexpr std::size_t kColumns = 6;
constexpr std::size_t kFirstNumber = 3;  ///< Columns of numbers stand to the right.
using Row = std::array<std::string, kColumns>;

/// "11,173,962"
std::string grouped(std::int64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3;) {
        at -= 3;
        text.insert(at, 1, ',');
    }
    return text;
}

std::int64_t bytes(std::int64_t floats) {
    return saturatingProduct(floats, static_cast<std::int64_t>(sizeof(float)));
}

Row rowOf(const Layer& layer) {
    return {layer.name,
            layer.type,
            toString(layer.output),
            grouped(layer.parameters),
            grouped(layer.flops),
            grouped(bytes(layer.activations))};
}

Row totalsOf(const Graph& graph) {
    std::int64_t parameters = 0;
    std::int64_t flops = 0;
    std::int64_t activations = 0;
    for (const Layer& layer : graph.layers) {
        parameters = saturatingSum(parameters, layer.parameters);
        flops = saturatingSum(flops, layer.flops);
        activations = saturatingSum(activations, layer.activations);
    }
    return {"total",
            "",
            toString(graph.output()),
            grouped(parameters),
            grouped(flops),
            grouped(bytes(activations))};
}

/// Names, types and shapes are ASCII: a byte is a character.
std::array<std::size_t, kColumns> widthsOf(const std::vector<Row>& rows) {
    std::array<std::size_t, kColumns> widths{};
    for (const Row& row : rows)
        for (std::size_t i = 0; i < kColumns; ++i)
            widths[i] = std::max(widths[i], row[i].size());
    return widths;
}

std::string lineOf(const Row& row, const std::array<std::size_t, kColumns>& widths) {
    std::string line;
    for (std::size_t i = 0; i < kColumns; ++i)
        line += i < kFirstNumber ? fmt::format("{:<{}}  ", row[i], widths[i])
                                 : fmt::format("{:>{}}  ", row[i], widths[i]);
    return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

std::string reportText(const Graph& graph) {
    std::vector<Row> rows{{"layer", "type", "output", "parameters", "FLOPs", "bytes a sample"}};
    for (const Layer& layer : graph.layers)
        rows.push_back(rowOf(layer));
    rows.push_back(totalsOf(graph));
    const auto widths = widthsOf(rows);
    std::string text;
    for (const Row& row : rows)
        text += lineOf(row, widths);
    std::int64_t statistics = 0;
    for (const Layer& layer : graph.layers)
        statistics = saturatingSum(statistics, layer.statistics);
    text += fmt::format("{} of the parameters are trained", grouped(graph.trainableCount()));
    if (statistics > 0) text += fmt::format("; running statistics: {}", grouped(statistics));
    return text + "\n";
}

}  // namespace lockstep::model
