// SPDX-License-Identifier: Apache-2.0
#include "core/model/description/layer_reference.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::model {

namespace {

/// Behind what an option takes.
std::string defaultText(const OptionType& option) {
    if (!option.defaultToml.empty()) return option.defaultToml;
    return option.isRequired ? "required" : "";
}

/// A cell of a table: a bar would end it.
std::string cell(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
        text.insert(at, 1, '\\');
    return text;
}

}  // namespace

std::string layerReferenceText(const std::vector<LayerType>& types) {
    std::string text;
    for (const LayerType& type : types) {
        text += fmt::format("{}\n    {}\n", type.name, type.help);
        std::size_t width = 0;
        for (const OptionType& option : type.options)
            width = std::max(width, option.name.size());
        for (const OptionType& option : type.options) {
            const std::string without = defaultText(option);
            text += fmt::format("  {:<{}}  {}{}\n", option.name, width, expectation(option),
                                without.empty()     ? ""
                                : option.isRequired ? "; required"
                                                    : "; default " + without);
            text += fmt::format("      {}\n", option.help);
        }
    }
    return text;
}

std::string layerReferencePage(const std::vector<LayerType>& types) {
    std::string page =
        "<!-- SPDX-License-"
        "Identifier: Apache-2.0 -->\n"
        "# The layers of a model\n\n"
        "`lockstepctl keys layers` prints them in a terminal, `lockstepctl keys conv2d` one of "
        "them; this page is\n`lockstepctl keys layers --format md`. How they are put together: "
        "[models](models.md).\n";
    for (const LayerType& type : types) {
        page += fmt::format("\n## {}\n\n{}\n", type.name, type.help);
        if (type.options.empty()) continue;
        page += "\n| option | takes | default | |\n|---|---|---|---|\n";
        for (const OptionType& option : type.options) {
            const std::string without = defaultText(option);
            page += fmt::format(
                "| `{}` | {} | {} | {} |\n", option.name, cell(expectation(option)),
                option.isRequired || without.empty() ? without : fmt::format("`{}`", without),
                cell(option.help));
        }
    }
    return page;
}

}  // namespace lockstep::model
