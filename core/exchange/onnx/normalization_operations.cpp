// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/onnx/node_writer.h"

namespace lockstep::exchange {

OnnxValue NodeWriter::operator()(const model::BatchNormalization& operation) {
    std::size_t next = 0;
    const std::int64_t channels = node().shape.back();
    const std::string scale =
        operation.hasScale ? tensorName(next++) : filled("scale", channels, 1);
    const std::string center =
        operation.hasCenter ? tensorName(next++) : filled("center", channels, 0);
    const std::string mean = tensorName(next++);
    const std::string variance = tensorName(next);
    return {
        writer_.node("BatchNormalization", {input(Channels::First), scale, center, mean, variance},
                     {{"epsilon", operation.epsilon}}),
        Channels::First};
}

OnnxValue NodeWriter::operator()(const model::LayerNormalization& operation) {
    const std::string x = input(Channels::Last);
    std::size_t next = 0;
    if (!operation.isRootMeanSquare) {
        std::vector<std::string> inputs{
            x, operation.hasScale ? tensorName(next++) : filled("scale", node().shape.back(), 1)};
        if (operation.hasCenter) inputs.push_back(tensorName(next));
        return {writer_.node("LayerNormalization", std::move(inputs),
                             {{"axis", std::int64_t{-1}}, {"epsilon", operation.epsilon}})};
    }
    const std::string squares = writer_.node("Mul", {x, x});
    const std::string mean =
        writer_.node("ReduceMean", {squares}, {{"axes", std::vector<std::int64_t>{-1}}});
    const std::string shifted =
        writer_.node("Add", {mean, writer_.scalar("epsilon", operation.epsilon)});
    const std::string y = writer_.node("Div", {x, writer_.node("Sqrt", {shifted})});
    return {operation.hasScale ? writer_.node("Mul", {y, tensorName(next)}) : y};
}

OnnxValue NodeWriter::operator()(const model::GroupNormalization& operation) {
    // A group as a channel of InstanceNormalization: opset 17 has no normalisation of groups.
    const std::string groups = writer_.node(
        "Reshape", {input(Channels::First), writer_.integers("shape", {0, operation.groups, -1})});
    const std::string normal = writer_.node(
        "InstanceNormalization",
        {groups, filled("ones", operation.groups, 1), filled("zeros", operation.groups, 0)},
        {{"epsilon", operation.epsilon}});
    std::vector<std::int64_t> shape{0, node().shape.back()};
    shape.insert(shape.end(), node().shape.begin(), node().shape.end() - 1);
    std::string y = writer_.node("Reshape", {normal, writer_.integers("shape", shape)});
    std::size_t next = 0;
    if (operation.hasScale) y = writer_.node("Mul", {y, perChannel(next++, Channels::First)});
    if (operation.hasCenter) y = writer_.node("Add", {y, perChannel(next, Channels::First)});
    return {y, Channels::First};
}

}  // namespace lockstep::exchange
