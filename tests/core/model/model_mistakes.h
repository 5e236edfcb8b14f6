// SPDX-License-Identifier: Apache-2.0
// Networks with one mistake each, and what must be said of it.
#pragma once

#include <string>
#include <vector>

namespace lockstep::model::test {

struct Mistake {
    const char* name;
    std::string text;      ///< model.layers' elements from line 3 on, or the whole of [model].
    const char* expected;  ///< A part of "LINE:COLUMN PATH MESSAGE".
};

inline std::string conv(const std::string& options) {
    return "{ type = \"conv2d\", " + options + " }";
}

inline std::string withBlock(const std::string& layers, const std::string& block) {
    return "[model]\nlayers = [" + layers + "]\n[model.blocks.a]\nlayers = [" + block + "]\n";
}

/// What the reader finds: types, options, their values.
inline std::vector<Mistake> wordsAndValues() {
    return {
        {"type", "{ type = \"conv3d\" }",
         "3:10 model.layers[0].type is \"conv3d\", which is no type of layer, did you mean "
         "conv2d?"},
        {"capitals", "{ type = \"Dropout\" }", "no type of layer, did you mean dropout?"},
        {"type is no text", "{ type = 3 }",
         "model.layers[0].type is 3, but must be a type of layer"},
        {"option", conv("filters = 4, kernel_size = 3, stride = 2"),
         "3:50 model.layers[0].stride is not an option of conv2d, did you mean strides?"},
        {"part of an option", conv("filters = 4, kernel = 3"),
         "kernel is not an option of conv2d, did you mean kernel_size?"},
        {"missing", conv("filters = 4"),
         "3:1 model.layers[0].kernel_size is missing: conv2d needs it"},
        {"no filters", conv("filters = 0, kernel_size = 3"),
         "3:30 model.layers[0].filters is 0, but must be a whole number from 1 to 1048576"},
        {"negative", conv("filters = -4, kernel_size = 3"), "filters is -4, but must be"},
        {"fraction", "{ units = 2.5 }",
         "units is 2.5, but must be a whole number from 1 to 1048576"},
        {"text as number", "{ units = \"many\" }", "\"classes\" or \"vocabulary\""},
        {"nearly a fact", "{ units = \"clases\" }", "did you mean classes?"},
        {"flag", "{ units = 2, use_bias = 1 }", "use_bias is 1, but must be true or false"},
        {"activation", "{ units = 2, activation = \"ReLu\" }", "did you mean relu?"},
        {"padding", conv("filters = 4, kernel_size = 3, padding = \"sme\""),
         "padding is \"sme\", but must be \"valid\", \"same\", a whole number from 0 to 65536, or "
         "[height, width] of such, did you mean same?"},
        {"three sizes", conv("filters = 4, kernel_size = [3, 3, 3]"), "kernel_size is an array"},
        {"stride of 0", conv("filters = 4, kernel_size = 3, strides = 0"), "strides is 0"},
        {"rate of 1", "{ type = \"dropout\", rate = 1.0 }",
         "rate is 1, but must be a number from 0 and below 1"},
        {"rate that is none", "{ type = \"dropout\", rate = nan }", "rate is nan"},
        {"epsilon of 0", "{ type = \"layer_normalization\", epsilon = 0 }", "above 0 to 1"},
        {"empty list", "[model]\nlayers = []", "2:10 model.layers is empty"},
        {"no layers", "[model]\n", "model.layers is missing"},
        {"layers are a text", "[model]\nlayers = \"dense\"",
         "model.layers is \"dense\", but must be an array"},
        {"number as layer", "{ units = 3 }, 10", "3:16 model.layers[1] is 10, but must be a layer"},
        {"two kinds", "{ type = \"dense\", block = \"a\" }",
         "has type and block, but is one of these only"},
        {"empty residual", "{ residual = [] }", "model.layers[0].residual is empty"},
        {"option of a residual", "{ residual = [{ units = 3 }], units = 3 }",
         "units is not an option of residual"},
        {"key of the model", "[model]\nlayers = [{ units = 10 }]\nlayer = 3",
         "model.layer is no key of [model], did you mean layers?"},
        {"defaults' type",
         "[model]\nlayers = [{ units = 3 }]\n[model.defaults]\nconv = { filters = 3 }",
         "4:1 model.defaults.conv is no type of layer"},
        {"defaults' option",
         "[model]\nlayers = [{ units = 3 }]\n[model.defaults]\nconv2d = { filter = 3 }",
         "4:12 model.defaults.conv2d.filter is not an option of conv2d, did you mean filters?"},
        {"defaults are a number", "[model]\nlayers = [{ units = 3 }]\n[model.defaults]\nconv2d = 3",
         "model.defaults.conv2d is 3, but must be a table of options"},
        {"nested too deep",
         std::string("{ residual = [{ residual = [{ residual = [{ residual = [{ residual = "
                     "[{ residual = [{ residual = [{ residual = [{ residual = [{ units = 3 "
                     "}]}]}]}]}]}]}]}]}]}"),
         "is nested deeper than 8 residuals"},
    };
}

/// Names, blocks and parameters.
inline std::vector<Mistake> references() {
    return {
        {"name with a space", "{ units = 3, name = \"a b\" }",
         "name is \"a b\", but must be a name"},
        {"name with an end", "{ units = 3, name = \"a.\" }", "but must be a name"},
        {"reserved name", "{ units = 3, name = \"data\" }", "which is what a model begins with"},
        {"input", "{ units = 3, name = \"first\" }, { units = 3, input = \"frist\" }",
         "model.layers[1].input is \"frist\", but no earlier layer of this list has that name, did "
         "you mean first?"},
        {"later input", "{ units = 3, input = \"b\" }, { units = 3, name = \"b\" }",
         "no earlier layer"},
        {"both", "{ units = 3, input = \"data\", inputs = [\"data\", \"data\"] }",
         "is a second word"},
        {"two inputs of one", "{ units = 3, inputs = [\"data\", \"data\"] }",
         "names 2 inputs, but dense takes one"},
        {"one input of two", "{ type = \"add\", input = \"data\" }",
         "names one of the two or more inputs that add takes"},
        {"no input of two", "{ type = \"concatenate\" }", "names none of the two"},
        {"inputs of numbers", "{ type = \"add\", inputs = [1, 2] }",
         "inputs is an array, but must be an array of layers' names"},
        {"name twice", "{ units = 3, name = \"a\" }, { units = 3, name = \"a\" }",
         "model.layers[1] is a second one with the name \"a\""},
        {"block", withBlock("{ block = \"b\" }", "{ units = 3 }"),
         "2:21 model.layers[0].block is \"b\", but there is no such block, did you mean a?"},
        {"no block at all", "{ block = \"b\" }", "there is no such block"},
        {"block is a number", "{ block = 3 }", "block is 3, but must be the name of a block"},
        {"block without layers", "[model]\nlayers = [{ units = 3 }]\n[model.blocks.a]\nlayer = []",
         "model.blocks.a is a block without layers"},
        {"key of a block", withBlock("{ units = 3 }", "{ units = 3 }") + "width = 3\n",
         "model.blocks.a.width is no key of a block"},
        {"cycle", withBlock("{ block = \"a\" }", "{ block = \"a\" }"),
         "4:21 model.blocks.a.layers[0].block is \"a\", which contains itself"},
        {"long cycle",
         "[model]\nlayers = [{ units = 1 }]\n[model.blocks]\na = { layers = [{ block = \"b\" }] }\n"
         "b = { layers = [{ residual = [{ block = \"a\" }] }] }\n",
         "5:41 model.blocks.b.layers[0].residual[0].block is \"a\", which contains itself by way "
         "of b"},
        {"parameter is missing", withBlock("{ block = \"a\" }", "{ units = \"$width\" }"),
         "2:11 model.layers[0] gives no width, but block \"a\" asks for \"$width\""},
        {"unknown parameter",
         withBlock("{ block = \"a\", widht = 3, width = 3 }", "{ units = \"$width\" }"),
         "2:34 model.layers[0].widht is not a parameter of block \"a\", did you mean width?"},
        {"parameter outside", "{ units = \"$width\" }",
         "units is \"$width\", but parameters stand in blocks only"},
        {"parameter outside, given on",
         withBlock("{ block = \"a\", width = \"$w\" }", "{ units = \"$width\" }"),
         "parameters stand in blocks only"},
        {"wrong parameter", withBlock("{ block = \"a\", width = 0 }", "{ units = \"$width\" }"),
         "2:34 model.layers[0].width is 0, but must be a whole number from 1 to 1048576, "
         "\"classes\" or \"vocabulary\": "
         "it is units of dense in model.blocks.a.layers[0]"},
        {"repeat", withBlock("{ block = \"a\", repeat = 0 }", "{ units = 3 }"),
         "repeat is 0, but must be"},
        {"wrong repeat of a parameter",
         "[model]\nlayers = [{ block = \"b\", n = \"x\" }]\n[model.blocks]\n"
         "a = { layers = [{ units = 3 }] }\nb = { layers = [{ block = \"a\", repeat = \"$n\" }] "
         "}\n",
         "repeat is \"x\", but must be a whole number"},
        {"too many layers",
         withBlock("{ block = \"a\", repeat = 9999 }", "{ units = 3 }, { units = 3 }"),
         "model.blocks.a.layers[0] is one layer more than the 10000 that a model may have (used by "
         "model.layers[0])"},
        {"full name twice",
         withBlock("{ block = \"a\", name = \"x\" }, { units = 3, name = \"x.y\" }",
                   "{ units = 3, name = \"y\" }"),
         "is a second layer with the full name \"x.y\""},
        {"tensor twice",
         "{ type = \"reshape\", target_shape = [49, 16] }, { type = \"multi_head_attention\", "
         "num_heads = 2, name = \"x\" }, "
         "{ units = 16, name = \"x.out_proj\" }",
         "has a tensor \"x.out_proj.weight\", but so has an earlier layer"},
        {"not taken", "{ units = 3, name = \"a\" }, { units = 3, input = \"data\" }",
         "model.layers[0] gives 3, which no later layer takes"},
        {"weights_of", "{ units = 3, weights_of = \"a\" }",
         "no earlier layer with a weight has that full name"},
        {"weights of another shape",
         "{ units = 3, name = \"a\" }, { units = 5, weights_of = \"a\" }",
         "model.layers[1] needs a weight of 5 x 3, but that of \"a\" is 3 x 784"},
        {"column", "{ type = \"embedding\", input = \"data.town\", input_dim = 3, output_dim = 3 }",
         "3:31 model.layers[0].input is \"data.town\", but the data has no such column"},
        {"relu in the gates", "{ type = \"lstm\", units = 3, activation = \"relu\" }",
         "model.layers[0].activation is not supported by lstm"},
        {"state", "{ type = \"gru\", units = 3, stateful = true }",
         "model.layers[0].stateful is not supported by gru"},
        {"recurrent dropout", "{ type = \"lstm\", units = 3, recurrent_dropout = 0.5 }",
         "model.layers[0].recurrent_dropout is not supported by lstm"},
        {"another initialiser", "{ units = 3, kernel_initializer = \"orthogonal\" }",
         "kernel_initializer is \"orthogonal\", but must be"},
        {"vocabulary", "{ type = \"embedding\", input_dim = \"vocabulary\", output_dim = 3 }",
         "has input_dim = \"vocabulary\", but its data has no vocabulary"},
    };
}

/// Shapes and sizes. The data are images of 28 x 28 x 1.
inline std::vector<Mistake> shapes() {
    return {
        {"residual", "{ residual = [" + conv("filters = 4, kernel_size = 3, padding = 1") + "] }",
         "3:1 model.layers[0] adds what its layers give, 28 x 28 x 4, to what its shortcut gives, "
         "28 x 28 x 1"},
        {"add",
         conv("filters = 4, kernel_size = 3, name = \"a\"") +
             ", { type = \"add\", inputs = [\"a\", \"data\"] }",
         "model.layers[1] takes inputs of one shape, but its first is 26 x 26 x 4 and its 2. is 28 "
         "x 28 x 1"},
        {"concatenate",
         conv("filters = 4, kernel_size = 3, name = \"a\"") +
             ", { type = \"concatenate\", inputs = [\"data\", \"a\"] }",
         "one shape but for the last size"},
        {"large kernel", conv("filters = 4, kernel_size = 29"),
         "has a window of 29 x 29, which reaches beyond the 28 x 28 places"},
        {"dilated kernel", conv("filters = 4, kernel_size = 3, dilation_rate = 14"),
         "has a window of 29 x 29"},
        {"large pool", "{ type = \"max_pooling2d\", pool_size = 30 }", "has a window of 30 x 30"},
        {"padding of a pool", "{ type = \"max_pooling2d\", padding = 2 }",
         "has a padding of 2, in which its window of 2 has room"},
        {"groups", conv("filters = 4, kernel_size = 3, groups = 2"),
         "has 2 groups, which divide not both its 1 channels and its 4 filters"},
        {"group normalisation", "{ type = \"group_normalization\" }",
         "has 32 groups, which do not divide its 1 channels"},
        {"convolution of a row", "{ type = \"flatten\" }, " + conv("filters = 4, kernel_size = 3"),
         "model.layers[1] takes height x width x channels, but gets 784"},
        {"sequence of an image", "{ type = \"conv1d\", filters = 4, kernel_size = 3 }",
         "takes positions x channels, but gets 28 x 28 x 1"},
        {"reshape", "{ type = \"reshape\", target_shape = [10, -1] }",
         "gives 10 x -1 by its target_shape, but gets 28 x 28 x 1: 784 numbers"},
        {"open sizes", "{ type = \"reshape\", target_shape = [-1, -1] }",
         "target_shape is an array, but must be an array of up to 8"},
        {"heads",
         "{ type = \"reshape\", target_shape = [28, 28] }, { type = \"multi_head_attention\", "
         "num_heads = 5 }",
         "has 5 heads, among which its 28 features cannot be shared"},
        {"positions",
         "{ type = \"reshape\", target_shape = [28, 28] }, { type = \"position_embedding\", "
         "sequence_length = 20 }",
         "has 20 positions, but gets 28"},
        {"embedding of numbers",
         "{ units = 3 }, { type = \"embedding\", input_dim = 3, output_dim = 3 }",
         "takes whole numbers, which the data alone gives"},
        {"lstm of an image", "{ type = \"lstm\", units = 3 }",
         "3:1 model.layers[0] takes positions x features, but gets 28 x 28 x 1"},
        {"reset before",
         "{ type = \"reshape\", target_shape = [28, 28] }, { type = \"gru\", units = 3, "
         "reset_after = false }",
         "model.layers[1] has reset_after = false, but its reset gate acts behind the product"},
        {"units by the trillion",
         "{ type = \"reshape\", target_shape = [28, 28] }, { type = \"lstm\", units = 1048576 }",
         "needs a tensor weight_hh_l0 of 4194304 x 1048576 numbers"},
        {"transposed of a row",
         "{ type = \"flatten\" }, { type = \"conv2d_transpose\", filters = 3, kernel_size = 3 }",
         "takes height x width x channels, but gets 784"},
        {"output_padding",
         "{ type = \"conv2d_transpose\", filters = 3, kernel_size = 3, output_padding = 1 }",
         "has an output_padding of 1, but strides of 1"},
        {"cut off", "{ type = \"conv2d_transpose\", filters = 3, kernel_size = 3, padding = 15 }",
         "gives nothing of the 28 x 28 places that it gets"},
        {"channels", "{ type = \"rescaling\", scale = [1, 2] }",
         "has 2 values of scale, but gets 1 channels"},
        {"a trillion weights", "{ units = 1048576 }, { units = 1048576 }, { units = 10 }",
         "model.layers[1] needs a tensor weight of 1048576 x 1048576 numbers, but at most "
         "2147483648 are possible"},
        {"wide attention",
         "{ type = \"flatten\" }, { units = 1048576, use_bias = false, trainable = false }, { type "
         "= \"reshape\", target_shape = [1, -1] }, "
         "{ type = \"multi_head_attention\", num_heads = 1 }",
         "needs a tensor in_proj_weight"},
        {"huge image", "{ type = \"up_sampling2d\", size = 65536 }",
         "gives 1835008 x 1835008 x 1 numbers for each sample"},
        {"huge image again and again",
         withBlock("{ block = \"a\", repeat = 20 }", "{ type = \"up_sampling2d\", size = 200 }"),
         "(used by model.layers[0])"},
        {"huge padding", "{ type = \"zero_padding2d\", padding = 65536 }",
         "numbers for each sample"},
        {"many channels",
         "{ type = \"depthwise_conv2d\", kernel_size = 1, depth_multiplier = 1048576 }, { type = "
         "\"depthwise_conv2d\", kernel_size = 1, depth_multiplier = 1048576 }",
         "needs a tensor weight of"},
    };
}

}  // namespace lockstep::model::test
