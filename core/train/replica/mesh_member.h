// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/collective/communicator.h"
#include "core/program/executor.h"
#include "core/program/network.h"
#include "core/telemetry/progress.h"
#include "core/train/replica/flat_state.h"

namespace lockstep::train {

/// A replica's place in a mesh (collective::MeshGrid): its row, with which it shares the tensors of
/// one network and sees the same samples, and its column, with which it shares the batch. One
/// thread.
class MeshMember final : public program::MeshGroup {
public:
    /// All must outlive it. `part` is what this member holds of `whole`.
    MeshMember(const program::Network& whole, const program::Network& part,
               collective::Communicator& batch, collective::Communicator& model,
               telemetry::ReplicaProgressCell& progress)
        : whole_(whole), part_(part), batch_(batch), model_(model), progress_(progress) {}

    [[nodiscard]] const program::Network& whole() const { return whole_; }
    [[nodiscard]] bool isInFirstRow() const { return batch_.replica() == 0; }
    [[nodiscard]] bool isInFirstColumn() const { return model_.replica() == 0; }
    [[nodiscard]] int column() const { return model_.replica(); }
    [[nodiscard]] const program::Network& part() const { return part_; }
    [[nodiscard]] int members() const { return model_.replicaCount(); }
    /// Of the job.
    [[nodiscard]] int replica() const { return batch_.replica() * members() + model_.replica(); }
    [[nodiscard]] int replicaCount() const { return batch_.replicaCount() * members(); }
    /// Whether every member of the row holds the whole tensor.
    [[nodiscard]] bool isWhole(std::size_t tensor) const {
        return part_.graph().shards[tensor].isWhole();
    }

    /// Where it stands in its row's collectives, in the place that shows those of its column.
    void showPlaceIn(CollectivePlace& place) { model_.showPlaceIn(place); }
    [[nodiscard]] Result<void> gather(std::span<const float> mine, std::span<float> all) override;
    [[nodiscard]] bool addsByPieces(std::size_t numbers) const override;
    [[nodiscard]] Result<void> deal(std::span<const float> mine, std::span<float> pieces) override;
    /// Time spent in gather(), deal() and isAnybodys() since it was last asked.
    [[nodiscard]] Nanos takeTime() { return std::exchange(time_, Nanos{0}); }

    /// As Communicator's, over all replicas of the job.
    [[nodiscard]] Result<void> allGather(std::span<const std::uint64_t> mine,
                                         std::span<std::uint64_t> all);
    /// Whether it is so for anybody in the row.
    [[nodiscard]] Result<bool> isAnybodys(bool mine);
    /// What the row's first member has.
    [[nodiscard]] Result<void> takeFromFirst(std::span<std::uint64_t> words);

    /// The row's parts, put together in `whole`; null: this member only gives its own. Internal:
    /// members hold other bits of a tensor that all have. The whole row calls it.
    [[nodiscard]] Result<void> collect(const FlatState& state, std::span<const float> statistics,
                                       WholeState* whole);
    /// Of those members alone, whose parts are put into `parts` where it is given: each as large as
    /// this one's. The whole row calls it.
    [[nodiscard]] Result<void> collectParts(const FlatState& state,
                                            std::span<const float> statistics,
                                            const std::vector<int>& columns,
                                            std::map<int, WholeState>* parts);
    /// Internal: members hold other bits of a tensor that all have. The whole row calls it.
    [[nodiscard]] Result<void> compareShared(const FlatState& state,
                                             std::span<const float> statistics);
    /// The way back: the first member's whole state, which the others lack, as parts.
    [[nodiscard]] Result<void> handOut(const WholeState* whole, const FlatState& state,
                                       std::span<float> statistics);
    /// The parts of those members alone, which the first one has. The whole row calls it.
    [[nodiscard]] Result<void> handOutParts(const std::vector<int>& columns,
                                            const std::map<int, WholeState>* parts,
                                            const FlatState& state, std::span<float> statistics);

private:
    template <typename Exchange>
    [[nodiscard]] Result<void> inAllReduce(const Exchange& exchange);
    [[nodiscard]] Result<void> exchange(std::span<const float> mine, std::span<float> all);
    [[nodiscard]] Result<void> collectTensors(std::span<const float> part, bool areStatistics,
                                              std::vector<float>* whole);
    [[nodiscard]] static Result<void> failOf(const program::PlacedTensor& tensor,
                                             std::size_t member);
    [[nodiscard]] Result<void> handOutShard(std::span<const float> shard, std::size_t size,
                                            std::span<float> to);
    [[nodiscard]] Result<void> handOutTensors(const std::vector<float>* whole, bool areStatistics,
                                              std::span<float> part);

    const program::Network& whole_;
    const program::Network& part_;
    collective::Communicator& batch_;
    collective::Communicator& model_;
    telemetry::ReplicaProgressCell& progress_;
    Nanos time_{0};
    std::vector<std::uint64_t> mine_;
    std::vector<std::uint64_t> all_;
};

}  // namespace lockstep::train
