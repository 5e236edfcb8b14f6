// SPDX-License-Identifier: Apache-2.0
#include "core/model/description/layer_families.h"

namespace lockstep::model {

namespace {

constexpr const char* kAsPyTorch =
    "Leave it out: the gates are sigmoid and tanh, as PyTorch's; an activation layer may follow.";
constexpr const char* kNoState =
    "Leave it out: every sample begins with a state of zero, and its outputs alone are given.";

OptionType recurrentInitializer(std::string name, const std::string& value) {
    OptionType option = initializer(std::move(name), value);
    option.words.insert(option.words.begin() + 2, "orthogonal");
    option.help += " orthogonal: rows or columns at right angles.";
    return option;
}

OptionType biasInitializer() {
    OptionType option = initializer("bias_initializer", "zeros");
    option.words = {"zeros", "ones", "uniform"};
    return option;
}

LayerType recurrent(std::string name, std::string help) {
    LayerType type{
        .name = std::move(name),
        .help = std::move(help),
        .options = {requiredInteger("units", "The size of the state and of an output."),
                    flag("return_sequences", false,
                         "Whether every step is given; false: the last one."),
                    flag("go_backwards", false, "Whether the last position comes first."),
                    number("dropout", "0.0", 0, 1,
                           "The share of a sample's features that is left out, the same "
                           "at all positions.",
                           true),
                    useBias(), recurrentInitializer("kernel_initializer", "glorot_uniform"),
                    recurrentInitializer("recurrent_initializer", "orthogonal"), biasInitializer()},
        .hasTensors = true};
    type.refused = {{"activation", kAsPyTorch},
                    {"recurrent_activation", kAsPyTorch},
                    {"recurrent_dropout", "Leave it out; dropout leaves out inputs."},
                    {"return_state", kNoState},
                    {"stateful", kNoState}};
    return type;
}

}  // namespace

std::vector<LayerType> recurrentTypes() {
    LayerType lstm = recurrent("lstm", "Long short-term memory, as torch.nn.LSTM.");
    lstm.options.push_back(
        flag("unit_forget_bias", true, "Whether the bias of the forget gates begins as one."));
    LayerType gru = recurrent("gru", "Gated recurrent units, as torch.nn.GRU.");
    gru.options.push_back(flag("reset_after", true,
                               "Whether the reset gate acts behind the product with the state; "
                               "only true is supported."));
    return {lstm, gru};
}

}  // namespace lockstep::model
