// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/checkpoint/checkpoint_source.h"
#include "core/coordination/client/client.h"

namespace lockstep::coordination {

/// The run's checkpoints, asked for over this process's connection to the coordinator. One piece
/// is under way at a time, so that the connection stays free for heartbeats. Used by one thread.
class CheckpointLink final : public checkpoint::CheckpointSource {
public:
    /// `client` outlives the link. A question waits so long for its answer; it is repeated
    /// meanwhile.
    explicit CheckpointLink(Client& client, Nanos patience = std::chrono::seconds(20))
        : client_(client), patience_(patience) {}

    [[nodiscard]] Result<checkpoint::CheckpointListing> list() override;
    [[nodiscard]] Result<std::string> read(std::int64_t step, const std::string& file,
                                           std::uint64_t offset, std::uint32_t length) override;

private:
    Client& client_;
    const Nanos patience_;
};

}  // namespace lockstep::coordination
