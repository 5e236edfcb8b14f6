// SPDX-License-Identifier: Apache-2.0
#include "core/base/try.h"
#include "core/model/layer_families.h"

namespace lockstep::model {

namespace {

/// A factor of all gates, one gate below the other as PyTorch has them: [gates * units, inputs].
Result<int> gateWeight(LayerBuilder& layer, const std::string& name, std::int64_t width,
                       std::int64_t inputs, std::string_view initializer) {
    const Initializer begin =
        layer.initializer(initializer, static_cast<double>(inputs), static_cast<double>(width));
    return layer.tensor(name, {width, inputs}, begin);
}

/// What the gates get from the input, for all positions at once: a dense layer.
Result<int> projectInput(LayerBuilder& layer, int input, std::int64_t width,
                         std::pair<std::int64_t, std::int64_t> ones) {
    Shape shape = layer.inputShape();
    const std::int64_t features = shape.back();
    shape.back() = width;
    std::vector<int> tensors{
        TRY(gateWeight(layer, "weight_ih_l0", width, features, "kernel_initializer"))};
    if (layer.options().flag("use_bias")) {
        Initializer begin = layer.initializer("bias_initializer", 1, 1);
        begin.ones = ones;
        tensors.push_back(TRY(layer.tensor("bias_ih_l0", {width}, begin)));
    }
    const std::int64_t count = isPossible(shape) ? elementCount(shape) : 0;
    return layer.node(Dense{}, {input}, std::move(tensors), std::move(shape),
                      saturatingProduct(count, features));
}

/// PyTorch's LSTM has two biases that are added, Keras' has one. To train as Keras' does and to be
/// read by PyTorch, the second one is there, zero unless it is loaded, and stays as it is.
Result<int> recurrentBias(LayerBuilder& layer, const Recurrence& operation, std::int64_t width) {
    if (operation.kind == Recurrence::Kind::Gru)
        return layer.tensor("bias_hh_l0", {width}, layer.initializer("bias_initializer", 1, 1));
    const int bias = TRY(layer.tensor("bias_hh_l0", {width}, {}));
    layer.freeze(bias);
    return bias;
}

Result<int> buildRecurrence(LayerBuilder& layer, Recurrence operation,
                            std::pair<std::int64_t, std::int64_t> ones) {
    TRY(layer.requireRank(2, "positions x features"));
    const LayerOptions& options = layer.options();
    operation.returnsSequences = options.flag("return_sequences");
    operation.goesBackwards = options.flag("go_backwards");
    const std::int64_t units = options.integer("units");
    const std::int64_t width = saturatingProduct(operation.gates(), units);
    const std::int64_t positions = layer.inputShape()[0];
    int input = layer.input();
    if (const auto rate = static_cast<float>(options.number("dropout")); rate > 0)
        input = TRY(
            layer.node(Dropout{.rate = rate, .layer = layer.nextDropout(), .isOfChannels = true},
                       {input}, {}, layer.inputShape()));
    const int gates = TRY(projectInput(layer, input, width, ones));
    std::vector<int> tensors{
        TRY(gateWeight(layer, "weight_hh_l0", width, units, "recurrent_initializer"))};
    if (options.flag("use_bias")) tensors.push_back(TRY(recurrentBias(layer, operation, width)));
    const std::int64_t steps = saturatingProduct(positions, units);
    layer.keep(operation.returnsSequences ? steps : saturatingProduct(2, steps));
    return layer.node(operation, {gates}, std::move(tensors),
                      operation.returnsSequences ? Shape{positions, units} : Shape{units},
                      saturatingProduct(steps, width));
}

}  // namespace

Result<int> buildLstm(LayerBuilder& layer) {
    std::pair<std::int64_t, std::int64_t> ones{0, 0};
    const std::int64_t units = layer.options().integer("units");
    if (layer.options().flag("unit_forget_bias")) ones = {units, 2 * units};
    return buildRecurrence(layer, {.kind = Recurrence::Kind::Lstm}, ones);
}

Result<int> buildGru(LayerBuilder& layer) {
    if (!layer.options().flag("reset_after"))
        return fail(ErrorCode::BadInput,
                    "has reset_after = false, but its reset gate acts behind the product with the "
                    "state, as torch.nn.GRU's and as Keras' by default",
                    "Leave reset_after out.");
    return buildRecurrence(layer, {.kind = Recurrence::Kind::Gru}, {0, 0});
}

}  // namespace lockstep::model
