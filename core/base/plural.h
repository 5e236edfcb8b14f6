// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace lockstep {

/// The noun for several: "processes", "replicas", "entries".
[[nodiscard]] std::string pluralOf(std::string_view noun);

/// The noun as `count` of them need it.
template <std::integral Count>
[[nodiscard]] std::string nounFor(Count count, std::string_view noun) {
    return count == 1 ? std::string(noun) : pluralOf(noun);
}

/// "1 process", "2 processes", "0 replicas".
template <std::integral Count>
[[nodiscard]] std::string counted(Count count, std::string_view noun) {
    return std::to_string(count) + " " + nounFor(count, noun);
}

/// "1 process was", "2 processes were".
template <std::integral Count>
[[nodiscard]] std::string countedWas(Count count, std::string_view noun) {
    return counted(count, noun) + (count == 1 ? " was" : " were");
}

/// "is 1 process", "are 2 processes": after "there".
template <std::integral Count>
[[nodiscard]] std::string isCounted(Count count, std::string_view noun) {
    return (count == 1 ? "is " : "are ") + counted(count, noun);
}

}  // namespace lockstep
