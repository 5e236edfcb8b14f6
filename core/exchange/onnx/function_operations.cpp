// SPDX-License-Identifier: Apache-2.0
// Activations, and attention, whose weights are a softmax.
#include <cmath>
#include <limits>

#include "core/exchange/onnx/node_writer.h"

namespace lockstep::exchange {

namespace {

constexpr float kHalf = 0.5F;
constexpr float kRootOfHalf = 0.70710678118654752F;
constexpr float kRootOfTwoOverPi = 0.79788456080286536F;
constexpr float kGeluCubic = 0.044715F;

}  // namespace

/// x / 2 * (1 + factor).
std::string NodeWriter::halfOf(const std::string& x, const std::string& factor) {
    const std::string half = writer_.node("Mul", {x, writer_.scalar("half", kHalf)});
    return writer_.node("Mul", {half, writer_.node("Add", {factor, writer_.scalar("one", 1)})});
}

std::string NodeWriter::activated(const std::string& x, const model::Activation& operation,
                                  Channels channels) {
    using model::Function;
    switch (operation.function) {
        case Function::Linear:
            return x;
        case Function::Relu:
            return writer_.node("Relu", {x});
        case Function::LeakyRelu:
            return writer_.node("LeakyRelu", {x}, {{"alpha", operation.slope}});
        case Function::Gelu:
            return halfOf(
                x, writer_.node("Erf",
                                {writer_.node("Mul", {x, writer_.scalar("root", kRootOfHalf)})}));
        case Function::GeluTanh: {
            const std::string cube = writer_.node("Mul", {writer_.node("Mul", {x, x}), x});
            const std::string bent =
                writer_.node("Mul", {cube, writer_.scalar("cubic", kGeluCubic)});
            const std::string inner = writer_.node(
                "Mul", {writer_.node("Add", {x, bent}), writer_.scalar("root", kRootOfTwoOverPi)});
            return halfOf(x, writer_.node("Tanh", {inner}));
        }
        case Function::Silu:
            return writer_.node("Mul", {x, writer_.node("Sigmoid", {x})});
        case Function::Sigmoid:
            return writer_.node("Sigmoid", {x});
        case Function::Tanh:
            return writer_.node("Tanh", {x});
        case Function::Elu:
            return writer_.node("Elu", {x}, {{"alpha", operation.slope}});
        case Function::Softmax:
            return writer_.node("Softmax", {x},
                                {{"axis", std::int64_t{channels == Channels::First ? 1 : -1}}});
    }
    return x;
}

OnnxValue NodeWriter::operator()(const model::Activation& operation) {
    const Channels channels = channelsOfInput();
    return {activated(input(channels), operation, channels), channels};
}

/// [batch, positions, width] as [batch, heads, …], the other sizes in that order.
std::string NodeWriter::headsOf(const std::string& x, const model::Attention& operation,
                                const std::vector<std::int64_t>& order) {
    const std::int64_t each = node().shape[1] / operation.heads;
    const std::string split = writer_.node(
        "Reshape", {x, writer_.integers("shape", {0, node().shape[0], operation.heads, each})});
    return writer_.node("Transpose", {split}, {{"perm", order}});
}

OnnxValue NodeWriter::operator()(const model::Attention& operation) {
    const std::int64_t positions = node().shape[0];
    const std::int64_t width = node().shape[1];
    const auto parts = writer_.nodeOf(
        "Split", {input(Channels::Last), writer_.integers("split", {width, width, width})},
        {{"axis", std::int64_t{2}}}, 3);
    const std::string queries = headsOf(parts[0], operation, {0, 2, 1, 3});
    const std::string keys = headsOf(parts[1], operation, {0, 2, 3, 1});
    const std::string values = headsOf(parts[2], operation, {0, 2, 1, 3});
    const double each = static_cast<double>(width) / static_cast<double>(operation.heads);
    std::string scores =
        writer_.node("Mul", {writer_.node("MatMul", {queries, keys}),
                             writer_.scalar("scale", static_cast<float>(1 / std::sqrt(each)))});
    if (operation.isCausal) {
        std::vector<float> mask;  // what comes later is not looked at
        for (std::int64_t query = 0; query < positions; ++query)
            for (std::int64_t key = 0; key < positions; ++key)
                mask.push_back(key > query ? -std::numeric_limits<float>::infinity() : 0);
        const std::int64_t shape[] = {positions, positions};
        scores = writer_.node("Add", {scores, writer_.floats("mask", shape, mask)});
    }
    const std::string weights = writer_.node("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
    const std::string mixed = writer_.node("Transpose", {writer_.node("MatMul", {weights, values})},
                                           {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
    return {writer_.node("Reshape", {mixed, writer_.integers("shape", {0, positions, width})})};
}

}  // namespace lockstep::exchange
