// SPDX-License-Identifier: Apache-2.0
// lockstepctl keys: what a job file may say.
#include <cstdio>
#include <string>
#include <vector>

#include "app/ctl/commands.h"
#include "app/terminal/error_output.h"
#include "core/config/keys/key_reference.h"
#include "core/model/description/layer_reference.h"

namespace lockstep::app {

namespace {

struct KeysArguments {
    std::string part;
    std::string format = "text";
};

/// The types of layers that are asked for: all by "layers", one by its name.
std::vector<model::LayerType> layersAsked(const std::string& part) {
    if (part == "layers") return model::layerTypes();
    const model::LayerType* type = model::findLayerType(part);
    return type == nullptr ? std::vector<model::LayerType>() : std::vector{*type};
}

int printKeys(const KeysArguments& arguments) {
    const bool isPage = arguments.format == "md";
    if (const auto layers = layersAsked(arguments.part); !layers.empty()) {
        const std::string text =
            isPage ? model::layerReferencePage(layers) : model::layerReferenceText(layers);
        std::fputs(text.c_str(), stdout);
        return 0;
    }
    std::vector<config::KeyHelp> keys;
    std::vector<std::string> names;
    for (const config::KeyHelp& help : config::allKeyHelp()) {
        names.push_back(help.key);
        const bool isAsked = arguments.part.empty() || help.key == arguments.part ||
                             help.key.starts_with(arguments.part + ".");
        if (isAsked) keys.push_back(help);
    }
    names.insert(names.end(), model::layerTypeNames().begin(), model::layerTypeNames().end());
    if (keys.empty())
        return report({ErrorCode::BadInput,
                       "there is no key, section or layer " + arguments.part +
                           config::didYouMean(arguments.part, names),
                       "lockstepctl keys prints all of them."});
    const std::string text =
        isPage ? config::keyReferencePage(keys) : config::keyReferenceText(keys);
    std::fputs(text.c_str(), stdout);
    return 0;
}

}  // namespace

Command addKeysCommand(CommandLine& program) {
    auto arguments = std::make_shared<KeysArguments>();
    ArgumentList keys = program.addCommand(
        "keys", "every key of the job file: what it takes, its default, what it does");
    keys.add("key", arguments->part,
             "one key, one section (training), one layer (conv2d), or layers: all of them");
    keys.add("--format", arguments->format, "text, or md for a page of Markdown")
        .oneOf({"text", "md"});
    return [arguments] { return printKeys(*arguments); };
}

}  // namespace lockstep::app
