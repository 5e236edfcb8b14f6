// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/lost_connections.h"

#include <algorithm>
#include <map>

namespace lockstep::coordination {

void LostConnections::add(std::uint32_t teller, std::uint32_t peer) {
    ends_.emplace(teller, peer);
    ends_.emplace(peer, teller);
    tellers_.insert(teller);
}

std::optional<std::uint32_t> LostConnections::commonEnd() const {
    std::map<std::uint32_t, int> counts;
    for (const auto& [process, peer] : ends_)
        ++counts[process];
    const auto countOf = [](const auto& entry) { return entry.second; };
    const auto most = std::ranges::max_element(counts, {}, countOf);
    if (most == counts.end() || std::ranges::count(counts, most->second, countOf) > 1)
        return std::nullopt;
    return most->first;
}

std::vector<int> LostConnections::peersOf(std::uint32_t process) const {
    std::vector<int> peers;
    for (const auto& [one, peer] : ends_)
        if (one == process) peers.push_back(static_cast<int>(peer));
    return peers;
}

}  // namespace lockstep::coordination
