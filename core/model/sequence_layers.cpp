// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/base/try.h"
#include "core/model/layer_families.h"

namespace lockstep::model {

namespace {

/// A dense layer within a layer: tensors PREFIXweight and PREFIXbias.
Result<int> project(LayerBuilder& layer, int input, const std::string& weight,
                    const std::string& bias, std::int64_t outputs) {
    Shape shape = layer.shapeOf(input);
    const std::int64_t width = shape.back();
    shape.back() = outputs;
    // Queries, keys and values begin as a dense layer each: fans of one third.
    const Initializer begin = layer.initializer("kernel_initializer", static_cast<double>(width),
                                                static_cast<double>(width));
    std::vector<int> tensors{TRY(layer.tensor(weight, {outputs, width}, begin))};
    if (layer.options().flag("use_bias")) tensors.push_back(TRY(layer.tensor(bias, {outputs}, {})));
    const std::int64_t count = isPossible(shape) ? elementCount(shape) : 0;
    return layer.node(Dense{}, {input}, std::move(tensors), std::move(shape),
                      saturatingProduct(count, width));
}

}  // namespace

namespace {
/// Whole numbers travel as floats, which hold them exactly up to here.
constexpr std::int64_t kMostRows = std::int64_t{1} << 24;
}  // namespace

Result<int> buildEmbedding(LayerBuilder& layer) {
    if (!std::holds_alternative<Input>(layer.operationOf(layer.input())))
        return fail(ErrorCode::BadInput,
                    "takes whole numbers, which the data alone gives, but stands behind a layer",
                    "Put it first, or write input = \"data\" or input = \"data.COLUMN\".");
    const std::int64_t rows = TRY(layer.size("input_dim"));
    const Column* column = layer.columnOf(layer.input());
    const std::int64_t vocabulary = column != nullptr ? column->vocabulary : layer.vocabulary();
    if (vocabulary == 0)
        return fail(ErrorCode::BadInput, "takes whole numbers, and the data gives none",
                    "An embedding is for words, characters or categories.");
    if (rows < vocabulary || rows > kMostRows)
        return fail(ErrorCode::BadInput,
                    fmt::format("has a table of {} rows, but the data has {} different numbers",
                                rows, vocabulary),
                    "Write input_dim = \"vocabulary\".");
    const std::int64_t width = layer.options().integer("output_dim");
    const Initializer begin = layer.initializer("embeddings_initializer", static_cast<double>(rows),
                                                static_cast<double>(width));
    const int weight = TRY(layer.weight({rows, width}, begin));
    Shape shape = layer.inputShape();
    shape.push_back(width);
    return layer.node(Embedding{}, {layer.input()}, {weight}, std::move(shape));
}

Result<int> buildPositionEmbedding(LayerBuilder& layer) {
    TRY(layer.requireRank(2, "positions x features"));
    const std::int64_t rows = layer.options().integer("sequence_length");
    const Shape& shape = layer.inputShape();
    if (rows < shape[0])
        return fail(ErrorCode::BadInput,
                    fmt::format("has {} positions, but gets {}", rows, shape[0]),
                    fmt::format("Set sequence_length to {}.", shape[0]));
    const Initializer begin =
        layer.initializer("initializer", static_cast<double>(rows), static_cast<double>(shape[1]));
    const int weight = TRY(layer.tensor("weight", {rows, shape[1]}, begin));
    return layer.node(PositionEmbedding{}, {layer.input()}, {weight}, layer.inputShape());
}

Result<int> buildAttention(LayerBuilder& layer) {
    TRY(layer.requireRank(2, "positions x features"));
    const LayerOptions& options = layer.options();
    const Shape shape = layer.inputShape();
    const std::int64_t heads = options.integer("num_heads");
    if (shape[1] % heads != 0)
        return fail(ErrorCode::BadInput,
                    fmt::format("has {} heads, among which its {} features cannot be shared", heads,
                                shape[1]),
                    "Set num_heads to a divisor of the features.");
    const int all = TRY(project(layer, layer.input(), "in_proj_weight", "in_proj_bias",
                                saturatingProduct(3, shape[1])));
    const Attention attention{.heads = heads,
                              .isCausal = options.flag("causal"),
                              .dropout = static_cast<float>(options.number("dropout")),
                              .layer = layer.nextDropout()};
    // Each of the two products has positions x positions x features multiply-adds.
    const std::int64_t work =
        saturatingProduct(2 * shape[0], saturatingProduct(shape[0], shape[1]));
    const int mixed = TRY(layer.node(attention, {all}, {}, shape, work));
    return project(layer, mixed, "out_proj.weight", "out_proj.bias", shape[1]);
}

}  // namespace lockstep::model
