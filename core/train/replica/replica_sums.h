// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/collective/communicator.h"
#include "core/program/executor.h"
#include "core/telemetry/progress.h"

namespace lockstep::train {

/// Sums in the middle of a step, by the replica's communicator: what every replica has travels to
/// all, and each adds it in replica order, so that all hold the same bits. Whoever waits in it is
/// in all-reduce, not in the phase that it interrupts: others must see who keeps them waiting.
class CommunicatorSum final : public program::ReplicaSum {
public:
    /// Both must outlive it.
    CommunicatorSum(collective::Communicator& communicator,
                    telemetry::ReplicaProgressCell& progress)
        : communicator_(communicator), progress_(progress) {}

    [[nodiscard]] Result<void> sum(std::span<double> values) override;
    /// Time spent in sum() since it was last asked.
    [[nodiscard]] Nanos takeTime() { return std::exchange(time_, Nanos{0}); }

private:
    [[nodiscard]] Result<void> gatherAndAdd(std::span<double> values);

    collective::Communicator& communicator_;
    telemetry::ReplicaProgressCell& progress_;
    Nanos time_{0};
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
