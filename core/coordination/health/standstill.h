// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/coordination/health/link_facts.h"
#include "core/coordination/health/thread_answers.h"
#include "core/coordination/health/verdict.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination {

/// A replica that is in what all do together, as its process's newest heartbeat says.
struct CollectiveWaiter {
    std::uint32_t process = 0;
    std::uint32_t replica = 0;
    std::string host;
    std::uint64_t step = 0;    ///< Steps completed.
    std::uint64_t points = 0;  ///< CollectivePlace::points
    std::optional<std::uint32_t> awaited{};
    Nanos age{};  ///< In its phase for so long.
    wire::Phase phase = wire::PHASE_ALL_REDUCE;
    std::string collective{};  ///< "all-reduce of bucket 2"; empty: its phase says all there is.
};

/// "all-reduce of bucket 2"; "all-reduce" where it is not known which one.
[[nodiscard]] std::string collectiveName(const wire::ReplicaProgress& progress);

/// Why nothing moves when all replicas of a job have been in a collective for too long. `all` are
/// they, by process, at least one. Of those that have reached the fewest points, one that waits for
/// nobody stands still, and so does one that waits for a mark in shared memory that is set. Two
/// that wait for each other, or one whose message never comes, may be cut off from each other:
/// `links` says so, where it is about this trouble. Or one of them stands still in its wait, as
/// whoever is waited for and has moved does not: where no link is broken, `threads` may tell whose
/// do not answer.
[[nodiscard]] Finding judgeStandstill(const std::vector<CollectiveWaiter>& all,
                                      const LinkFacts& links = {}, const AnswerFacts& threads = {});

}  // namespace lockstep::coordination
