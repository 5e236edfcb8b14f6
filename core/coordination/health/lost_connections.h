// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace lockstep::coordination {

/// The connections between workers of which an end has told that it is lost: each counts once,
/// whether one of its ends tells of it or both.
class LostConnections {
public:
    void add(std::uint32_t teller, std::uint32_t peer);

    /// The process at which more of them end than at any other.
    [[nodiscard]] std::optional<std::uint32_t> commonEnd() const;
    /// The other ends of those of `process`, ascending.
    [[nodiscard]] std::vector<int> peersOf(std::uint32_t process) const;
    /// How many processes have told of one.
    [[nodiscard]] std::size_t tellers() const { return tellers_.size(); }

private:
    std::set<std::pair<std::uint32_t, std::uint32_t>> ends_;  // of each connection both ways
    std::set<std::uint32_t> tellers_;
};

}  // namespace lockstep::coordination
