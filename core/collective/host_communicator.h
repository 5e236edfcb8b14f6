// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/collective/communicator.h"
#include "core/collective/replica_group.h"

namespace lockstep::collective {

/// A replica of a group that shares memory, be the others threads of this process or in other
/// processes. Each replica sums and updates its share of every bucket; between groups the leader
/// exchanges the sums.
class HostCommunicator final : public Communicator {
public:
    /// `index` counts the group's replicas.
    HostCommunicator(std::shared_ptr<ReplicaGroup> group, int index);

    [[nodiscard]] int replica() const override { return replica_; }
    [[nodiscard]] int replicaCount() const override { return group_->topology.replicaCount(); }
    [[nodiscard]] std::string_view backend() const override { return group_->backend; }
    void showPlaceIn(CollectivePlace& place) override;

    [[nodiscard]] std::span<float> gradients() override { return gradients_; }
    [[nodiscard]] std::span<float> parameters() override { return parameters_; }
    [[nodiscard]] std::span<const float> sums() override { return sums_; }
    [[nodiscard]] std::span<float> moments(int index) override;

    void setVotes(const StepVotes& mine) override { record_.votes = mine; }
    void post(std::size_t bucket) override;
    [[nodiscard]] Result<Range> reduce(std::size_t bucket) override;
    [[nodiscard]] const StepVotes& votes() const override { return votes_; }
    void publish(std::size_t bucket) override;
    [[nodiscard]] Result<void> finishStep() override;

    [[nodiscard]] Result<void> broadcastState() override;
    [[nodiscard]] Result<void> allGather(std::span<const std::uint64_t> mine,
                                         std::span<std::uint64_t> all) override;
    [[nodiscard]] Result<void> allToAll(std::span<const std::uint64_t> mine,
                                        std::span<std::uint64_t> pieces) override;
    void abort() override { group_->giveUp({GroupFailure::Kind::Aborted}); }

private:
    [[nodiscard]] bool alone() const { return group_->size() == 1; }
    [[nodiscard]] bool leads() const { return index_ == 0; }
    [[nodiscard]] Range share(std::size_t bucket, int index) const;
    [[nodiscard]] std::uint64_t countAt(std::size_t bucket) const;
    [[nodiscard]] Nanos deadline() const { return SteadyClock::read() + group_->timeout; }

    void reachPoint() { place_->reachPoint(); }
    void arrive();
    [[nodiscard]] Result<void> await(const std::atomic<std::uint64_t>& counter,
                                     std::uint64_t target, Nanos deadline);
    [[nodiscard]] Result<void> awaitAll(std::atomic<std::uint64_t> ReplicaRecord::*counter,
                                        std::uint64_t target, Nanos deadline);
    void prepareRows();
    void sumShare(std::size_t bucket, std::span<float> sums);
    [[nodiscard]] std::span<const StepVotes> groupVotes();
    [[nodiscard]] Result<void> reduceWithin(std::size_t bucket);
    [[nodiscard]] Result<void> reduceAcross(std::size_t bucket, Nanos deadline);
    [[nodiscard]] Result<void> exchangeBucket(std::size_t bucket, Nanos deadline);
    [[nodiscard]] Result<void> shareState();
    [[nodiscard]] Result<void> sharePiece(std::span<float> piece);
    [[nodiscard]] Result<void> gatherRound(std::span<const std::uint64_t> mine,
                                           std::span<std::uint64_t> all, std::size_t offset);
    [[nodiscard]] TransferEnd gatherAcross(std::size_t words, Nanos deadline);
    [[nodiscard]] TransferEnd dealAcross(std::size_t words, Nanos deadline);
    /// A round of words: all of the group put theirs into the segment, the leader lets `across`
    /// bring those of the others, and `take` takes what this replica gets.
    template <typename Put, typename Across, typename Take>
    [[nodiscard]] Result<void> wordRound(const Put& put, const Across& across, const Take& take);

    const std::shared_ptr<ReplicaGroup> group_;
    const int index_;
    const int replica_;
    HostSegment& segment_;
    ReplicaRecord& record_;
    const std::span<float> gradients_;
    const std::span<float> sums_;
    const std::span<float> parameters_;
    std::vector<HostRows> rows_;           // By bucket: the group's gradients of our share.
    std::vector<StepVotes> scratchVotes_;  // Of the group.
    StepVotes votes_;
    CollectivePlace unseen_;
    CollectivePlace* place_ = &unseen_;
    std::uint64_t step_ = 0;
    std::uint64_t meetings_ = 1;  // The first was that of the connecting.
    std::size_t posted_ = 0;      // Buckets of this step so far.
    std::size_t reduced_ = 0;
    std::size_t published_ = 0;
};

}  // namespace lockstep::collective
