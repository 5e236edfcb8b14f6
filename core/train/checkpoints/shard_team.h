// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/shard_writer.h"
#include "core/collective/topology.h"
#include "core/config/job/job_spec.h"
#include "core/coordination/client/client.h"
#include "core/train/checkpoints/part_restore.h"

namespace lockstep::train {

/// This process's part in the sharded checkpoints of a mesh: who of its first row, which has every
/// part once, writes where.
class ShardTeam {
public:
    /// Nothing where the job has no mesh, or whole checkpoints. `runFolder`: where this process
    /// would look for it. All processes of the job call it. Errors as of the client.
    [[nodiscard]] static Result<ShardTeam> gather(coordination::Client& client,
                                                  const config::JobSpec& job,
                                                  const collective::Topology& topology,
                                                  const std::filesystem::path& runFolder);

    /// Of this process's replica of that number in the job; null: it writes none itself.
    [[nodiscard]] checkpoint::ShardWriter* writerOf(int replica) const;
    /// Whose parts replica 0 writes: their columns.
    [[nodiscard]] const std::vector<int>& handed() const { return handed_; }
    /// Who writes their own, besides replica 0.
    [[nodiscard]] const std::vector<int>& writers() const { return writers_; }
    /// Who reads what of a checkpoint that the job goes on with; nothing where this process has no
    /// part in it.
    [[nodiscard]] const std::optional<PartRestore::Share>& share() const { return share_; }
    /// Until the last checkpoint is complete, or cannot be. Timeout.
    [[nodiscard]] Result<void> finish();

private:
    std::vector<int> handed_;
    std::vector<int> writers_;
    std::optional<PartRestore::Share> share_;
    std::map<int, std::unique_ptr<checkpoint::ShardWriter>> own_;
};

}  // namespace lockstep::train
