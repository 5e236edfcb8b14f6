// SPDX-License-Identifier: Apache-2.0
#include "core/model/description/layer_families.h"

#include <fmt/format.h>

namespace lockstep::model {

namespace {

OptionType integerOrFact(std::string name, std::string help) {
    return {.name = std::move(name),
            .kind = OptionKind::IntegerOrFact,
            .help = std::move(help),
            .isRequired = true};
}

OptionType weightsOf() {
    return {
        .name = "weights_of",
        .kind = OptionKind::LayerName,
        .help =
            "The full name of an earlier layer whose weight it uses, too: \"transformer.wte\"."};
}

OptionType numbers(std::string name, const std::string& defaultToml, double minimum,
                   std::string help) {
    return {.name = std::move(name),
            .kind = OptionKind::Numbers,
            .defaultToml = defaultToml,
            .help = std::move(help),
            .minimum = minimum,
            .maximum = 1e30,
            .isRequired = defaultToml.empty()};
}

void append(std::vector<OptionType>& options, std::vector<OptionType> more) {
    for (OptionType& option : more)
        options.push_back(std::move(option));
}

/// What all convolutions have: the window and where it goes.
std::vector<OptionType> windowOptions(int rank) {
    return {extent("kernel_size", "", rank, "The window's size."),
            extent("strides", "1", rank, "How far the window moves from one output to the next."),
            padding(rank),
            extent("dilation_rate", "1", rank, "The distance of the window's places, 1: no gaps.")};
}

LayerType convolution(const std::string& name, int rank, std::string help) {
    LayerType type{.name = name, .help = std::move(help), .options = {}, .hasTensors = true};
    type.options.push_back(requiredInteger("filters", "Channels of the output."));
    append(type.options, windowOptions(rank));
    OptionType groups =
        requiredInteger("groups", "Filters of a group see the channels of theirs alone.");
    groups.isRequired = false;
    groups.defaultToml = "1";
    append(type.options, {groups, useBias(), initializer("kernel_initializer", "glorot_uniform")});
    addActivation(type.options);
    return type;
}

LayerType transposed() {
    LayerType type{.name = "conv2d_transpose",
                   .help = "Each place spread over a window, as a convolution's gradient.",
                   .options = {requiredInteger("filters", "Channels of the output.")},
                   .hasTensors = true,
                   .refused = {{"groups", "Leave it out: every filter sees all channels."}}};
    append(type.options, windowOptions(2));
    OptionType more = extent("output_padding", "0", 2,
                             "Rows and columns more below and right, fewer than strides; left out: "
                             "none with padding = N, else what Keras adds.");
    more.defaultToml.clear();
    more.minimum = 0;
    append(type.options,
           {std::move(more), useBias(), initializer("kernel_initializer", "glorot_uniform")});
    for (OptionType& option : type.options)
        if (option.name == "padding")
            option.help =
                "What is cut off around the result: nothing (valid), all beyond input x strides "
                "(same), or so much on each side.";
    addActivation(type.options);
    return type;
}

LayerType depthwise(bool isSeparable) {
    LayerType type{.name = isSeparable ? "separable_conv2d" : "depthwise_conv2d",
                   .help = isSeparable
                               ? "A depthwise convolution, then one of size 1 over its channels."
                               : "A convolution of each channel alone.",
                   .options = {},
                   .hasTensors = true};
    if (isSeparable) type.options.push_back(requiredInteger("filters", "Channels of the output."));
    append(type.options, windowOptions(2));
    OptionType multiplier = requiredInteger("depth_multiplier", "Outputs of each channel.");
    multiplier.isRequired = false;
    multiplier.defaultToml = "1";
    append(type.options,
           {multiplier, useBias(), initializer("depthwise_initializer", "glorot_uniform")});
    if (isSeparable) type.options.push_back(initializer("pointwise_initializer", "glorot_uniform"));
    addActivation(type.options);
    return type;
}

LayerType pooling(const std::string& kind, int rank) {
    LayerType type{
        .name = fmt::format("{}_pooling{}d", kind, rank),
        .help = kind == "max" ? "The largest number of each window, channel by channel."
                              : "The mean of each window, without its padding.",
        .options = {extent("pool_size", "2", rank, "The window's size."),
                    extent("strides", "1", rank, "How far the window moves; left out: its size."),
                    padding(rank)}};
    type.options[1].defaultToml.clear();
    return type;
}

LayerType globalPooling(const std::string& kind, int rank) {
    return {
        .name = fmt::format("global_{}_pooling{}d", kind, rank),
        .help = kind == "max" ? "The largest number of each channel." : "The mean of each channel.",
        .options = {}};
}

/// Options of a normalisation with a factor and an offset for each channel.
LayerType normalization(std::string name, const std::string& epsilonToml, std::string help) {
    LayerType type{
        .name = std::move(name), .help = std::move(help), .options = {}, .hasTensors = true};
    type.options = {epsilon(epsilonToml),
                    flag("scale", true, "Whether each channel has a factor, weight.")};
    return type;
}

OptionType center() {
    return flag("center", true, "Whether a number for each channel, bias, is added.");
}

}  // namespace

std::vector<LayerType> denseTypes() {
    LayerType dense{
        .name = "dense",
        .help = "activation(x Wᵀ + b) over the last dimension.",
        .options = {integerOrFact("units", "The size of the layer's output."), useBias(),
                    initializer("kernel_initializer", "glorot_uniform"), weightsOf()},
        .hasTensors = true};
    addActivation(dense.options);
    return {dense};
}

std::vector<LayerType> convolutionTypes() {
    return {convolution("conv2d", 2, "A convolution of images."),
            convolution("conv1d", 1, "A convolution of sequences."), depthwise(false),
            depthwise(true), transposed()};
}

std::vector<LayerType> poolingTypes() {
    std::vector<LayerType> types;
    for (const int rank : {1, 2})
        for (const char* kind : {"max", "average"}) {
            types.push_back(pooling(kind, rank));
            types.push_back(globalPooling(kind, rank));
        }
    return types;
}

std::vector<LayerType> normalizationTypes() {
    LayerType batch = normalization("batch_normalization", "1e-3",
                                    "Over the batch and all places, channel by channel.");
    append(
        batch.options,
        {center(),
         number("momentum", "0.99", 0, 1, "The share of the running statistics that stays."),
         flag("synchronized", true, "Over the batch of all replicas; false: each over its own.")});
    LayerType layer =
        normalization("layer_normalization", "1e-3", "Over the last dimension, sample by sample.");
    layer.options.push_back(center());
    LayerType rms = normalization("rms_normalization", "1e-6",
                                  "Over the last dimension, by the root of the mean square.");
    LayerType group = normalization("group_normalization", "1e-3",
                                    "Over all places and the channels of a group.");
    OptionType groups = requiredInteger("groups", "How many groups the channels make.");
    groups.isRequired = false;
    groups.defaultToml = "32";
    append(group.options, {center(), groups});
    for (LayerType* type : {&batch, &layer, &rms, &group})
        addActivation(type->options);
    return {batch, layer, rms, group};
}

std::vector<LayerType> elementwiseTypes() {
    LayerType activation{.name = "activation", .help = "A function of each number.", .options = {}};
    addActivation(activation.options);
    activation.options.front().defaultToml.clear();
    activation.options.front().isRequired = true;
    return {activation,
            {.name = "dropout",
             .help = "Leaves out a share of the numbers while training.",
             .options = {number("rate", "", 0, 1, "The share that is left out.", true)}},
            {.name = "rescaling",
             .help = "x * scale + offset.",
             .options = {numbers("scale", "", -1e30, "The factor."),
                         numbers("offset", "0.0", -1e30, "What is added then.")}},
            {.name = "normalization",
             .help = "(x - mean) / sqrt(variance), of a mean and a variance that are known.",
             .options = {numbers("mean", "", -1e30, "The data's mean."),
                         numbers("variance", "", 0, "The data's variance.")}}};
}

std::vector<LayerType> shapeTypes() {
    const OptionType shape{.name = "target_shape",
                           .kind = OptionKind::Sizes,
                           .help = "The sizes of a sample; -1 for what is left.",
                           .maximum = static_cast<double>(kMostElements),
                           .isRequired = true};
    const OptionType frame{.name = "padding",
                           .kind = OptionKind::Frame,
                           .defaultToml = "1",
                           .help = "Zeros on each side.",
                           .minimum = 0,
                           .maximum = 65536};
    return {{.name = "flatten", .help = "One row, channels first, as PyTorch.", .options = {}},
            {.name = "reshape", .help = "The same numbers in the same order.", .options = {shape}},
            {.name = "zero_padding2d", .help = "Zeros around an image.", .options = {frame}},
            {.name = "up_sampling2d",
             .help = "Each place several times.",
             .options = {extent("size", "2", 2, "How often."),
                         word("interpolation", "nearest", {"nearest"}, "How places are filled.")}}};
}

std::vector<LayerType> mergeTypes() {
    LayerType add{.name = "add", .help = "The sum of its inputs.", .options = {}, .isMerge = true};
    LayerType multiply{
        .name = "multiply", .help = "The product of its inputs.", .options = {}, .isMerge = true};
    addActivation(add.options);
    addActivation(multiply.options);
    return {add,
            multiply,
            {.name = "concatenate",
             .help = "Its inputs side by side, along the last dimension.",
             .options = {},
             .isMerge = true}};
}

std::vector<LayerType> sequenceTypes() {
    OptionType rows =
        integerOrFact("input_dim", "Rows of the table: whole numbers below it are read.");
    rows.maximum = static_cast<double>(kMostElements);
    return {
        {.name = "embedding",
         .help = "A row of a table for each whole number.",
         .options = {rows, requiredInteger("output_dim", "The size of a row."),
                     initializer("embeddings_initializer", "uniform"), weightsOf()},
         .hasTensors = true},
        {.name = "position_embedding",
         .help = "Adds a row of a table for each position.",
         .options = {requiredInteger("sequence_length", "Positions, at most."),
                     initializer("initializer", "glorot_uniform")},
         .hasTensors = true},
        {.name = "multi_head_attention",
         .help = "Self-attention of a sequence, as torch.nn.MultiheadAttention.",
         .options = {requiredInteger("num_heads", "Heads, among which the features are shared."),
                     flag("causal", false, "Whether a position sees those before it alone."),
                     number("dropout", "0.0", 0, 1, "The share of weights that is left out.", true),
                     useBias(), initializer("kernel_initializer", "glorot_uniform")},
         .hasTensors = true}};
}

}  // namespace lockstep::model
