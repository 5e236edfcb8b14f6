// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/checkpoint/shard_crew.h"
#include "core/coordination/client/client.h"

namespace lockstep::train {

/// The replicas that write their parts of a checkpoint themselves, by way of the job's key-value
/// store: an order has a number, and each of them answers it once. Nobody's steps are in it.
class StoreCrew final : public checkpoint::ShardCrew {
public:
    /// `client` outlives it.
    explicit StoreCrew(coordination::Client& client) : client_(client) {}

    /// Who they are, before the first order.
    void setReplicas(std::vector<int> replicas) { replicas_ = std::move(replicas); }

    [[nodiscard]] Result<void> order(const checkpoint::ShardOrder& order) override;
    [[nodiscard]] Result<checkpoint::FileRecords> collect() override;

private:
    [[nodiscard]] Result<checkpoint::FileRecords> answerOf(int replica, Nanos timeout);

    coordination::Client& client_;
    std::vector<int> replicas_;
    std::uint64_t count_ = 0;  ///< Orders so far.
    std::string folder_;       ///< Of the newest.
};

/// Where the replica hears the orders of the job's StoreCrew. `client` outlives it.
[[nodiscard]] std::unique_ptr<checkpoint::ShardDesk> shardDesk(coordination::Client& client,
                                                               int replica);

/// Which processes write checkpoints where process 0 does: those that find what it has put there
/// for a moment, and may write there, too.
struct RunFolderSight {
    std::filesystem::path checkpoints{};  ///< Where this process finds them; empty: nowhere.
    std::vector<int> blind{};             ///< Processes that do not, ascending.
};
/// Of `processes`, process 0 and others, each of which calls it with the same list. `own`: where
/// this one would look for the run's checkpoints. Timeout, PeerLost as the client.
[[nodiscard]] Result<RunFolderSight> lookForRunFolder(coordination::Client& client, int process,
                                                      const std::vector<int>& processes,
                                                      const std::filesystem::path& own,
                                                      Nanos timeout);

}  // namespace lockstep::train
