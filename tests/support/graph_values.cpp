// SPDX-License-Identifier: Apache-2.0
#include "tests/support/graph_values.h"

#include <cmath>

#include "core/base/rng.h"
#include "tests/support/random_graph.h"

namespace lockstep::testing {

namespace {

struct Range {
    float low = -0.5F;
    float high = 0.5F;
};

Range rangeOf(const model::Tensor& tensor) {
    if (tensor.name.ends_with("running_var")) return {.low = 0.5F, .high = 2.0F};
    if (tensor.shape.size() == 1) {
        const bool isScale = tensor.name.ends_with("weight");
        return isScale ? Range{.low = 0.5F, .high = 1.5F} : Range{};
    }
    const auto fan = static_cast<float>(tensor.size() / tensor.shape[0]);
    const float limit = std::sqrt(3 / fan);
    return {.low = -limit, .high = limit};
}

}  // namespace

GraphValues drawValues(const model::Graph& graph, std::uint64_t seed) {
    const auto layout = program::ParameterLayout::of(graph);
    GraphValues values{.parameters = std::vector<float>(layout.parameters),
                       .statistics = std::vector<float>(layout.statistics)};
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        const model::Tensor& tensor = graph.tensors[i];
        auto& flat =
            tensor.role == model::Tensor::Role::Parameter ? values.parameters : values.statistics;
        CounterRng rng(seed, 1000 + i);
        for (std::size_t k = 0; k < static_cast<std::size_t>(tensor.size()); ++k)
            flat[layout.offsets[i] + k] = rng.nextFloat(rangeOf(tensor).low, rangeOf(tensor).high);
    }
    return values;
}

std::vector<float> drawSamples(const model::Graph& graph, std::int64_t rows, std::uint64_t seed) {
    auto numbers =
        drawNumbers(static_cast<std::size_t>(rows * model::elementCount(graph.input)), seed, 2);
    const bool isWhole = takesWholeNumbers(graph);
    for (float& number : numbers)
        number = isWhole ? std::floor((number + 1) / 2 * static_cast<float>(kVocabulary))
                         : 1.5F * number;
    return numbers;
}

std::vector<float> drawNumbers(std::size_t count, std::uint64_t seed, std::uint64_t stream) {
    CounterRng rng(seed, stream);
    std::vector<float> numbers(count);
    for (float& number : numbers)
        number = rng.nextFloat(-1, 1);
    return numbers;
}

std::vector<double> exactly(const model::Graph& graph, std::size_t tensor,
                            const std::vector<float>& flat) {
    const auto begin = flat.begin() + static_cast<std::ptrdiff_t>(
                                          program::ParameterLayout::of(graph).offsets[tensor]);
    return {begin, begin + graph.tensors[tensor].size()};
}

TensorValues exactly(const model::Graph& graph, const GraphValues& values) {
    TensorValues tensors;
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        const bool isParameter = graph.tensors[i].role == model::Tensor::Role::Parameter;
        tensors.push_back(exactly(graph, i, isParameter ? values.parameters : values.statistics));
    }
    return tensors;
}

}  // namespace lockstep::testing
