// SPDX-License-Identifier: Apache-2.0
#include "core/config/cluster/cluster_resolver.h"

#include <fmt/format.h>

#include "core/base/plural.h"
#include "core/config/cluster/contradictions.h"
#include "core/config/cluster/facts_text.h"

namespace lockstep::config {

namespace {

constexpr std::string_view kHowToSayIt =
    "Give it as an argument, in the job file or in the environment, or start the job with "
    "lockstepctl run, srun, mpirun or torchrun.";

tl::unexpected<Error> bad(std::string message, std::string remedy = std::string(kHowToSayIt)) {
    return fail(ErrorCode::BadInput, std::move(message), std::move(remedy));
}

std::string nameOf(const Origin& origin) {
    return origin.kind == OriginKind::Default ? "the default" : origin.name;
}

/// The coordinator is at address 0: of two that differ, the stronger source's holds.
Result<void> joinAddresses(ClusterFacts& facts) {
    if (!facts.jobAddresses || !facts.coordinatorAddress) return {};
    Address& first = facts.jobAddresses->value.front();
    const auto& [coordinator, origin] = *facts.coordinatorAddress;
    if (first == coordinator) return {};
    const OriginKind listed = facts.jobAddresses->origin.kind;
    if (listed == origin.kind)
        return bad(fmt::format("coordinator_address is {} from {}, but the first of job_addresses "
                               "is {} from {}",
                               shown(coordinator), origin.name, shown(first),
                               facts.jobAddresses->origin.name),
                   "Process 0 is the coordinator: give its address once, or the same twice.");
    if (origin.kind > listed)
        first = coordinator;
    else
        facts.coordinatorAddress = Sourced<Address>{first, facts.jobAddresses->origin};
    return {};
}

Result<void> completeCount(ClusterFacts& facts) {
    if (facts.jobAddresses) {
        const auto& [addresses, origin] = *facts.jobAddresses;
        const auto given = static_cast<int>(addresses.size());
        if (!facts.coordinatorAddress)
            facts.coordinatorAddress = Sourced<Address>{addresses.front(), origin};
        if (!facts.numProcesses) facts.numProcesses = Sourced<int>{given, origin};
        if (facts.numProcesses->value == given) return {};
        if (given > 1) return fail(countMismatch(*facts.jobAddresses, *facts.numProcesses));
        facts.jobAddresses.reset();  // the coordinator's alone
        return {};
    }
    if (facts.numProcesses) return {};
    if (facts.coordinatorAddress)
        return bad(fmt::format(
            "Number of processes must be defined: coordinator_address is {} from "
            "{}, but nothing says how many processes there are",
            shown(facts.coordinatorAddress->value), facts.coordinatorAddress->origin.name));
    if (facts.processId)
        return bad(
            fmt::format("Number of processes must be defined: process_id is {} from {}, but "
                        "nothing says how many processes there are",
                        facts.processId->value, facts.processId->origin.name));
    facts.numProcesses = Sourced<int>{1, {}};
    return {};
}

/// The launcher's id with another source's count: as many processes must be there as it started.
Result<void> checkStarted(const ClusterFacts& facts, const ClusterFacts& launcher) {
    const bool numbers = facts.processId && facts.processId->origin.kind == OriginKind::Detection;
    if (!numbers || !launcher.numProcesses ||
        launcher.numProcesses->value == facts.numProcesses->value)
        return {};
    return bad(fmt::format("num_processes is {} from {}, but {} started, says {}",
                           facts.numProcesses->value, nameOf(facts.numProcesses->origin),
                           countedWas(launcher.numProcesses->value, "process"),
                           launcher.numProcesses->origin.name),
               "Start as many processes as the job has, or leave the number to the launcher.");
}

Result<void> completeId(ClusterFacts& facts) {
    if (!facts.role) facts.role = Sourced<ProcessRole>{ProcessRole::Worker, {}};
    const int count = facts.numProcesses->value;
    const std::string countOrigin = nameOf(facts.numProcesses->origin);
    const bool evaluates = facts.role->value == ProcessRole::Evaluator;
    if (!facts.processId && (evaluates || count == 1)) facts.processId = Sourced<int>{0, {}};
    if (!facts.processId)
        return bad(
            fmt::format("The process id of the current process must be defined: there are {} "
                        "(num_processes from {}), but nothing says which one this is",
                        counted(count, "process"), countOrigin));
    const auto& [id, origin] = *facts.processId;
    if (evaluates || (id >= 0 && id < count)) return {};
    return bad(fmt::format("process_id and num_processes must be nonnegative, with process_id < "
                           "num_processes. Got process_id={} (from {}), num_processes={} (from {})",
                           id, nameOf(origin), count, countOrigin),
               count == 1 ? "There is one process: use 0, or say how many there are."
                          : fmt::format("Ids go from 0 to {}.", count - 1));
}

Result<void> completeCoordinator(ClusterFacts& facts) {
    const int count = facts.numProcesses->value;
    if (!facts.coordinatorAddress && count == 1)
        facts.coordinatorAddress = Sourced<Address>{{"127.0.0.1", 0}, {}};
    if (!facts.coordinatorAddress)
        return bad(
            fmt::format("coordinator_address should be defined: there are {} "
                        "(num_processes from {}), but nothing says where process 0 listens",
                        counted(count, "process"), nameOf(facts.numProcesses->origin)));
    const auto& [address, origin] = *facts.coordinatorAddress;
    if (count > 1 && address.port == 0)
        return bad(fmt::format("coordinator_address is {} from {}, but {} cannot meet at "
                               "port 0, which stands for any",
                               shown(address), origin.name, counted(count, "process")),
                   "Write the port out, or start the job with lockstepctl run, which chooses one.");
    if (!facts.jobAddresses && count == 1)
        facts.jobAddresses = Sourced<std::vector<Address>>{{address}, origin};
    return {};
}

}  // namespace

Result<ClusterFacts> completeCluster(ClusterFacts facts, const ClusterFacts& launcher) {
    Result<void> done = joinAddresses(facts);
    if (done) done = completeCount(facts);
    if (done && facts.numProcesses->value < 1)
        done = bad(fmt::format("num_processes must be a positive int. Got {} (from {})",
                               facts.numProcesses->value, nameOf(facts.numProcesses->origin)));
    if (done) done = checkStarted(facts, launcher);
    if (done) done = completeCoordinator(facts);
    if (done) done = completeId(facts);
    if (!done) return fail(std::move(done).error());
    return facts;
}

}  // namespace lockstep::config
