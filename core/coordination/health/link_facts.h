// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::coordination {

/// Two workers, of which one at least does not reach the other.
struct BrokenLink {
    std::uint32_t from = 0;  ///< Does not reach `to`; the lower number where neither does.
    std::uint32_t to = 0;
    bool bothWays = true;  ///< As far as is known.

    [[nodiscard]] bool operator==(const BrokenLink&) const = default;
};

/// Which workers reach each other, as they found when all of them waited.
struct LinkFacts {
    std::string subject;  ///< Of the finding about which they were asked; empty: nothing is known.
    std::vector<BrokenLink> broken;  ///< Ascending.
    std::size_t asked = 0;           ///< So many were to try each other,
    bool askedAll = true;            ///< which were all that there are.
};

}  // namespace lockstep::coordination
