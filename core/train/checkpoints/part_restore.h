// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint_reader.h"
#include "core/collective/store.h"
#include "core/model/mesh/mesh_layout.h"
#include "core/optim/optimizer.h"
#include "core/program/network.h"
#include "core/train/replica/flat_state.h"

namespace lockstep::train {

/// How a mesh takes up a sharded checkpoint: each process of its first row that sees the run's
/// folder reads what its replicas hold, process 0 also what those hold who do not see it. They read
/// one checkpoint, or none: what one of them cannot read nobody goes on with. By way of the job's
/// store, before anything is connected, so that nobody waits in a collective for one who has
/// failed. One thread.
class PartRestore {
public:
    struct Share {
        int process = 0;
        std::filesystem::path checkpoints{};  ///< Where this process finds them.
        std::vector<int> columns{};           ///< Whose parts it reads.
        std::vector<int> others{};            ///< On process 0: who reads besides it.
    };
    /// `store` and `optimizer` outlive it. `network` is the whole one, which lies so on a row.
    PartRestore(collective::Store& store, const program::Network& network,
                const model::MeshLayout& layout, const optim::Optimizer& optimizer, Share share);

    /// On process 0: everybody reads the parts of this checkpoint. Corrupt, Io: one of them cannot,
    /// and which; another one may be tried. BadInput: it is of another model; Timeout, PeerLost,
    /// Cancelled as the store: one of them does not answer.
    [[nodiscard]] Result<void> read(std::int64_t step, checkpoint::OpenShards& shards);
    /// On process 0: what has been read last is gone on with, or, with `isWhole`, none of it.
    [[nodiscard]] Result<void> settle(bool isWhole);
    /// On the others: reads what they are told to, until it is settled. `timeout`: until the next
    /// word of process 0.
    [[nodiscard]] Result<void> follow(Nanos timeout);

    /// By column, what this process has read; null where process 0 hands out the whole state.
    [[nodiscard]] std::map<int, WholeState>* parts() { return isInParts_ ? &parts_ : nullptr; }

private:
    [[nodiscard]] Result<void> readOwn(checkpoint::OpenShards& shards);
    [[nodiscard]] Result<void> readOwnOf(std::int64_t step);

    collective::Store& store_;
    const optim::Optimizer& optimizer_;
    const Share share_;
    std::map<int, program::Network> networks_;  ///< By column, as the next one.
    std::map<int, WholeState> parts_;
    int attempt_ = 0;
    bool isInParts_ = false;
};

}  // namespace lockstep::train
