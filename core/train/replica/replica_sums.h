// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/collective/communicator.h"
#include "core/program/executor.h"

namespace lockstep::train {

/// Sums in the middle of a step, by the replica's communicator: what every replica has travels to
/// all, and each adds it in replica order, so that all hold the same bits.
class CommunicatorSum final : public program::ReplicaSum {
public:
    /// `communicator` must outlive it.
    explicit CommunicatorSum(collective::Communicator& communicator)
        : communicator_(communicator) {}

    [[nodiscard]] Result<void> sum(std::span<double> values) override;

private:
    collective::Communicator& communicator_;
    std::vector<std::uint64_t> mine_;
    std::vector<std::uint64_t> all_;
};

/// Replica 0's values to all others.
[[nodiscard]] Result<void> shareFromFirst(collective::Communicator& communicator,
                                          std::span<float> values);
/// The mean over all replicas, added in replica order.
[[nodiscard]] Result<void> averageOverReplicas(collective::Communicator& communicator,
                                               std::span<float> values);

}  // namespace lockstep::train
