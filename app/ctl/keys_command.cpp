// SPDX-License-Identifier: Apache-2.0
// lockstepctl keys: what a job file may say.
#include <cstdio>
#include <string>
#include <vector>

#include "app/ctl/commands.h"
#include "app/terminal/error_output.h"
#include "core/config/job/key_reference.h"

namespace lockstep::app {

namespace {

struct KeysArguments {
    std::string part;
    std::string format = "text";
};

int printKeys(const KeysArguments& arguments) {
    std::vector<config::KeyHelp> keys;
    std::vector<std::string> names;
    for (const config::KeyHelp& help : config::allKeyHelp()) {
        names.push_back(help.key);
        const bool isAsked = arguments.part.empty() || help.key == arguments.part ||
                             help.key.starts_with(arguments.part + ".");
        if (isAsked) keys.push_back(help);
    }
    if (keys.empty())
        return report({ErrorCode::BadInput,
                       "there is no key or section " + arguments.part +
                           config::didYouMean(arguments.part, names),
                       "lockstepctl keys prints all of them."});
    const std::string text =
        arguments.format == "md" ? config::keyReferencePage(keys) : config::keyReferenceText(keys);
    std::fputs(text.c_str(), stdout);
    return 0;
}

}  // namespace

Command addKeysCommand(CommandLine& program) {
    auto arguments = std::make_shared<KeysArguments>();
    ArgumentList keys = program.addCommand(
        "keys", "every key of the job file: what it takes, its default, what it does");
    keys.add("key", arguments->part, "one key, or one section, e.g. training");
    keys.add("--format", arguments->format, "text, or md for a page of Markdown")
        .oneOf({"text", "md"});
    return [arguments] { return printKeys(*arguments); };
}

}  // namespace lockstep::app
