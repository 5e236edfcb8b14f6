// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/lost_peer_words.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace lockstep::coordination {

bool tellsOfLostPeer(std::string words) {
    constexpr std::string_view kWords[] = {
        "connection closed by peer", "connection reset by peer", "broken pipe",
        "remote process exited",     "ncclremoteerror",          "socket closed",
    };
    std::ranges::transform(words, words.begin(),
                           [](unsigned char one) { return static_cast<char>(std::tolower(one)); });
    return std::ranges::any_of(
        kWords, [&](std::string_view known) { return words.find(known) != std::string::npos; });
}

}  // namespace lockstep::coordination
