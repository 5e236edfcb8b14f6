// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/shard_team.h"

#include <algorithm>

#include "core/base/try.h"
#include "core/config/job/mesh.h"
#include "core/train/checkpoints/shard_link.h"

namespace lockstep::train {

namespace {

/// Until all of the first row have connected.
constexpr std::chrono::seconds kLookTimeout{600};
/// Longer than process 0 tries to write the last checkpoint (checkpoint::LastCommitWait).
constexpr std::chrono::seconds kLastTimeout{1800};

}  // namespace

Result<ShardTeam> ShardTeam::gather(coordination::Client& client, const config::JobSpec& job,
                                    const collective::Topology& topology,
                                    const std::filesystem::path& runFolder) {
    ShardTeam team;
    if (!config::isModelParallel(job) || !config::writesShards(job)) return team;
    const int columns = job.distribution.model;
    if (topology.replicaCount() % columns != 0) return team;  // whoever connects them says so
    std::vector<int> processes;                               // of the first row
    for (int replica = 0; replica < columns; ++replica)
        if (const int process = topology.processOf(replica);
            processes.empty() || processes.back() != process)
            processes.push_back(process);
    if (std::ranges::find(processes, topology.thisProcess) == processes.end()) return team;
    const auto sight = TRY(lookForRunFolder(client, topology.thisProcess, processes,
                                            runFolder / "checkpoints", kLookTimeout));
    const auto isBlindProcess = [&sight](int process) {
        return std::ranges::binary_search(sight.blind, process);
    };
    team.share_.emplace(PartRestore::Share{topology.thisProcess, sight.checkpoints, {}, {}});
    for (const int process : processes)
        if (topology.thisProcess == 0 && process != 0 && !isBlindProcess(process))
            team.share_->others.push_back(process);
    for (int replica = 0; replica < columns; ++replica)
        if (const int process = topology.processOf(replica);
            topology.thisProcess == (isBlindProcess(process) ? 0 : process))
            team.share_->columns.push_back(replica);
    for (int replica = 1; replica < columns; ++replica) {
        const int process = topology.processOf(replica);
        const bool isBlind = isBlindProcess(process);
        (isBlind ? team.handed_ : team.writers_).push_back(replica);
        if (isBlind || process != topology.thisProcess) continue;
        team.own_[replica] =
            checkpoint::ShardWriter::start(sight.checkpoints, shardDesk(client, replica));
    }
    return team;
}

checkpoint::ShardWriter* ShardTeam::writerOf(int replica) const {
    const auto found = own_.find(replica);
    return found == own_.end() ? nullptr : found->second.get();
}

Result<void> ShardTeam::finish() {
    for (const auto& [replica, writer] : own_)
        TRY(writer->finish(kLastTimeout));
    return {};
}

}  // namespace lockstep::train
