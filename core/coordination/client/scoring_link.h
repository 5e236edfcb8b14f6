// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "core/coordination/client/client.h"

namespace lockstep::coordination {

/// The checkpoints that are to be scored, as the coordinator shares them out. Thread-safe, as the
/// client is, which outlives the link. All calls fail with Timeout or PeerLost.
class ScoringLink {
public:
    explicit ScoringLink(Client& client) : client_(client) {}

    /// The chief begins: `newest` is the last that lies there, 0 without any; `present` lie there
    /// and have no score, ascending; `tested` have one on the test data. Gives what retention
    /// leaves alone, as offer() does.
    [[nodiscard]] Result<std::set<std::int64_t>> begin(std::int64_t newest,
                                                       const std::vector<std::int64_t>& present,
                                                       const std::set<std::int64_t>& tested);
    /// The chief has committed these checkpoints; one that is known already changes nothing.
    [[nodiscard]] Result<std::set<std::int64_t>> offer(const std::vector<std::int64_t>& steps);

    /// What an evaluator does next; at most one of the three.
    struct Work {
        std::int64_t step = 0;            ///< A checkpoint; 0: none now.
        bool test = false;                ///< What the run has come to, on the test data,
        std::set<std::int64_t> tested{};  ///< but for these, which have been.
        bool over = false;                ///< Nothing comes any more.
    };
    /// It is done with what it had once the coordinator has taken its evaluation (Client::flush());
    /// `nothingToTest`: it had the test data, and needs no score on them.
    [[nodiscard]] Result<Work> askWork(bool nothingToTest = false);

private:
    [[nodiscard]] Result<std::set<std::int64_t>> ask(const wire::ToCoordinator& question);

    Client& client_;
};

}  // namespace lockstep::coordination
