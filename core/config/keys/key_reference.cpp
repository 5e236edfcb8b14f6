// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/key_reference.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace lockstep::config {

namespace {

std::string rangeText(const KeyHelp& help) {
    const bool above = help.aboveMinimum;
    if (help.minimum && help.maximum)
        return fmt::format(" {} {:.12g} {} {:.12g}", above ? "above" : "from", *help.minimum,
                           help.belowMaximum ? "and below" : "to", *help.maximum);
    if (help.minimum) return fmt::format(" {} {:.12g}", above ? "above" : "from", *help.minimum);
    if (help.maximum)
        return fmt::format(" {} {:.12g}", help.belowMaximum ? "below" : "up to", *help.maximum);
    return {};
}

std::string kindText(const KeyHelp& help) {
    switch (help.kind) {
        case ValueKind::Text:
            return "text";
        case ValueKind::Path:
            return "path or text";
        case ValueKind::PathOrTable:
            return "path, or table";
        case ValueKind::WordOrTable:
            return "\"" + joinWords(help.words) + "\", or table of texts";
        case ValueKind::Integer:
            return "whole number" + rangeText(help);
        case ValueKind::IntegerOrWord:
            return "\"" + joinWords(help.words) + "\", or whole number" + rangeText(help);
        case ValueKind::Number:
            return "number" + rangeText(help);
        case ValueKind::Flag:
            return "true or false";
        case ValueKind::Word:
            return "one of " + joinWords(help.words);
        case ValueKind::TextList:
            return "array of texts";
        case ValueKind::NumberList:
            return "array of numbers" + rangeText(help);
        case ValueKind::NumberOrPair:
            return "number" + rangeText(help) + " or [lower, upper]";
        case ValueKind::PixelSize:
            return "[height, width], two whole numbers" + rangeText(help);
        case ValueKind::AddressList:
            return "array of \"host:port\"";
        case ValueKind::FlagOrAddress:
            return "true, false or \"host:port\"";
        case ValueKind::LayerList:
            return "array of layers";
        case ValueKind::Table:
            return "table of tables";
        case ValueKind::TableList:
            return "array of tables";
    }
    return {};
}

std::string sectionOf(const std::string& key) {
    return key.substr(0, key.find('.'));
}

/// A cell of a table: a bar would end it.
std::string cell(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
        text.insert(at, 1, '\\');
    return text;
}

}  // namespace

std::string valueText(const KeyHelp& help) {
    const bool isCounted = help.kind == ValueKind::Integer || help.kind == ValueKind::Number ||
                           help.kind == ValueKind::IntegerOrWord;
    return kindText(help) +
           (isCounted && !help.unit.empty() ? fmt::format(" ({})", help.unit) : std::string());
}

std::string keyReferenceText(const std::vector<KeyHelp>& keys) {
    std::size_t width = 0;
    for (const KeyHelp& help : keys)
        width = std::max(width, help.key.size());
    std::string text;
    for (const KeyHelp& help : keys) {
        text += fmt::format("{:<{}}  {}", help.key, width, valueText(help));
        if (!help.defaultToml.empty()) text += "; default " + help.defaultToml;
        text += fmt::format("\n    {}\n", help.help);
    }
    return text;
}

std::string keyReferencePage(const std::vector<KeyHelp>& keys) {
    std::string page =
        "<!-- SPDX-License-"
        "Identifier: Apache-2.0 -->\n"
        "# The keys of a job file\n\n"
        "`lockstepctl keys` prints them in a terminal; this page is `lockstepctl keys --format "
        "md`.\n"
        "A key without a default is required, or left open.\n";
    std::string section;
    for (const KeyHelp& help : keys) {
        if (sectionOf(help.key) != section) {
            section = sectionOf(help.key);
            page += fmt::format("\n## [{}]\n\n| key | takes | default | |\n|---|---|---|---|\n",
                                section);
        }
        page += fmt::format(
            "| `{}` | {} | {} | {} |\n", help.key, cell(valueText(help)),
            help.defaultToml.empty() ? std::string() : fmt::format("`{}`", help.defaultToml),
            cell(help.help));
    }
    return page;
}

}  // namespace lockstep::config
