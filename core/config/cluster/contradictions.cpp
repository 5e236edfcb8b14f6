// SPDX-License-Identifier: Apache-2.0
#include "core/config/cluster/contradictions.h"

#include <fmt/format.h>

#include "core/config/cluster/facts_text.h"
#include "core/config/job/cluster_spec.h"

namespace lockstep::config {

namespace {

constexpr std::size_t kMostShown = 16;

/// Where `result` holds no error yet, and the two differ: that they do.
template <typename T>
void compare(Result<void>& result, std::string_view name, const Said<T>& first,
             const Said<T>& second) {
    if (!result || !first || !second || first->value == second->value) return;
    const std::string& one = first->origin.name;
    const std::string& other = second->origin.name;
    result = fail(ErrorCode::BadInput,
                  fmt::format("{} is {} from {}, but {} from {}", name, shown(first->value), one,
                              shown(second->value), other),
                  one == other ? fmt::format("Correct {}.", one)
                               : fmt::format("Correct or remove {} or {}.", one, other));
}

/// Address 0 is the coordinator's, where only that one is said.
Said<Address> coordinatorOf(const ClusterFacts& facts) {
    if (facts.coordinatorAddress || !facts.jobAddresses) return facts.coordinatorAddress;
    return Sourced<Address>{facts.jobAddresses->value.front(), facts.jobAddresses->origin};
}

/// The count, where only the addresses are said.
Said<int> countOf(const ClusterFacts& facts) {
    if (facts.numProcesses || !facts.jobAddresses) return facts.numProcesses;
    return Sourced<int>{static_cast<int>(facts.jobAddresses->value.size()),
                        facts.jobAddresses->origin};
}

}  // namespace

Result<void> checkAgreement(const ClusterFacts& first, const ClusterFacts& second) {
    Result<void> result;
    compare(result, "num_processes", countOf(first), countOf(second));
    compare(result, "job_addresses", first.jobAddresses, second.jobAddresses);
    compare(result, "coordinator_address", coordinatorOf(first), coordinatorOf(second));
    forEachFact([&](std::string_view name, auto member) {
        compare(result, name, first.*member, second.*member);
    });
    return result;
}

std::string countMismatchSentence(const std::vector<Address>& addresses, int count) {
    std::string list;
    for (std::size_t i = 0; i < addresses.size() && i < kMostShown; ++i)
        list += fmt::format("{}'{}'", list.empty() ? "" : ", ", toString(addresses[i]));
    if (addresses.size() > kMostShown) list += ", ...";
    return fmt::format("The provided job_addresses [{}] has {} jobs, but num_processes is {}", list,
                       addresses.size(), count);
}

Error countMismatch(const Sourced<std::vector<Address>>& addresses, const Sourced<int>& count) {
    return {ErrorCode::BadInput,
            fmt::format("{} (job_addresses from {}, num_processes from {})",
                        countMismatchSentence(addresses.value, count.value), addresses.origin.name,
                        count.origin.name),
            "Leave num_processes out, or give the coordinator's address alone."};
}

}  // namespace lockstep::config
