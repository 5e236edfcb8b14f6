// SPDX-License-Identifier: Apache-2.0
#include "core/base/plural.h"

namespace lockstep {

namespace {

bool endsWithConsonantAndY(std::string_view noun) {
    return noun.size() > 1 && noun.ends_with('y') &&
           std::string_view("aeiou").find(noun[noun.size() - 2]) == std::string_view::npos;
}

bool hisses(std::string_view noun) {
    return noun.ends_with('s') || noun.ends_with('x') || noun.ends_with("ch") ||
           noun.ends_with("sh");
}

}  // namespace

std::string pluralOf(std::string_view noun) {
    if (noun == "epoch") return "epochs";  // with a k
    if (endsWithConsonantAndY(noun)) return std::string(noun.substr(0, noun.size() - 1)) + "ies";
    return std::string(noun) + (hisses(noun) ? "es" : "s");
}

}  // namespace lockstep
