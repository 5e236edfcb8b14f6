// SPDX-License-Identifier: Apache-2.0
// What looks at places of images and sequences: their channels stand behind the batch.
#include "core/exchange/onnx/node_writer.h"

namespace lockstep::exchange {

namespace {

constexpr std::size_t kSequenceRank = 2;

/// Sequences have the second of two sizes alone.
std::vector<std::int64_t> placesOf(const model::Extent& extent, bool isSequence) {
    return isSequence ? std::vector<std::int64_t>{extent[1]}
                      : std::vector<std::int64_t>{extent[0], extent[1]};
}

std::vector<std::int64_t> paddingOf(const model::Extent& before, const model::Extent& after,
                                    bool isSequence) {
    std::vector<std::int64_t> all = placesOf(before, isSequence);
    const auto behind = placesOf(after, isSequence);
    all.insert(all.end(), behind.begin(), behind.end());
    return all;
}

}  // namespace

std::vector<OnnxAttribute> NodeWriter::windowAttributes(const model::Window& window) const {
    const bool isSequence = inputShape().size() == kSequenceRank;
    return {{"kernel_shape", placesOf(window.size, isSequence)},
            {"strides", placesOf(window.strides, isSequence)},
            {"pads", paddingOf(window.before, window.after, isSequence)}};
}

OnnxValue NodeWriter::operator()(const model::Convolution& operation) {
    auto attributes = windowAttributes(operation.window);
    attributes.push_back(
        {"dilations", placesOf(operation.window.dilation, inputShape().size() == kSequenceRank)});
    attributes.push_back({"group", operation.groups});
    std::vector<std::string> inputs{input(Channels::First), tensorName(0)};
    if (hasTensor(1)) inputs.push_back(tensorName(1));
    return {writer_.node("Conv", std::move(inputs), attributes), Channels::First};
}

OnnxValue NodeWriter::operator()(const model::TransposedConvolution& operation) {
    const model::Window& window = operation.window;
    const model::Extent image{inputShape()[0], inputShape()[1]};
    const model::Extent result{node().shape[0], node().shape[1]};
    model::Extent more{};  // what lies beyond all windows
    for (std::size_t i = 0; i < more.size(); ++i)
        more[i] = result[i] + window.before[i] + window.after[i] -
                  (image[i] - 1) * window.strides[i] - (window.size[i] - 1) * window.dilation[i] -
                  1;
    auto attributes = windowAttributes(window);
    attributes.push_back({"dilations", placesOf(window.dilation, false)});
    attributes.push_back({"output_padding", placesOf(more, false)});
    std::vector<std::string> inputs{input(Channels::First), tensorName(0)};
    if (hasTensor(1)) inputs.push_back(tensorName(1));
    return {writer_.node("ConvTranspose", std::move(inputs), attributes), Channels::First};
}

OnnxValue NodeWriter::operator()(const model::Pooling& operation) {
    auto attributes = windowAttributes(operation.window);
    if (operation.kind == model::Pooling::Kind::Maximum)
        return {writer_.node("MaxPool", {input(Channels::First)}, attributes), Channels::First};
    attributes.push_back({"count_include_pad", std::int64_t{0}});
    return {writer_.node("AveragePool", {input(Channels::First)}, attributes), Channels::First};
}

OnnxValue NodeWriter::operator()(const model::GlobalPooling& operation) {
    const bool isMaximum = operation.kind == model::Pooling::Kind::Maximum;
    const std::string pooled =
        writer_.node(isMaximum ? "GlobalMaxPool" : "GlobalAveragePool", {input(Channels::First)});
    return {writer_.node("Flatten", {pooled}, {{"axis", std::int64_t{1}}})};
}

OnnxValue NodeWriter::operator()(const model::ZeroPadding& operation) {
    const bool isSequence = inputShape().size() == kSequenceRank;
    std::vector<std::int64_t> pads{0, 0};
    for (const std::int64_t one : placesOf(operation.before, isSequence))
        pads.push_back(one);
    pads.insert(pads.end(), {0, 0});
    for (const std::int64_t one : placesOf(operation.after, isSequence))
        pads.push_back(one);
    return {writer_.node("Pad", {input(Channels::First), writer_.integers("pads", pads)}),
            Channels::First};
}

OnnxValue NodeWriter::operator()(const model::UpSampling& operation) {
    std::vector<float> scales{1, 1};
    for (const std::int64_t factor :
         placesOf(operation.factor, inputShape().size() == kSequenceRank))
        scales.push_back(static_cast<float>(factor));
    const auto count = static_cast<std::int64_t>(scales.size());
    const std::string factors = writer_.floats("scales", std::span(&count, 1), scales);
    return {writer_.node("Resize", {input(Channels::First), "", factors},
                         {{"mode", std::string("nearest")},
                          {"coordinate_transformation_mode", std::string("asymmetric")},
                          {"nearest_mode", std::string("floor")}}),
            Channels::First};
}

}  // namespace lockstep::exchange
