// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/collective/communicator.h"
#include "core/collective/nccl/nccl_group.h"
#include "core/tensor/buffer.h"
#include "core/tensor/cuda/memory.h"
#include "core/tensor/step_engine.h"

namespace lockstep::collective {

/// A replica whose gradients NCCL sums. As a Communicator it works on pinned host memory, which
/// GPUs address: every replica updates all of every bucket. As a DeviceReducer it sums wherever
/// the values lie, on the engine's stream.
class NcclCommunicator final : public Communicator, public tensor::DeviceReducer {
public:
    [[nodiscard]] static Result<std::unique_ptr<NcclCommunicator>> make(
        std::shared_ptr<NcclGroup> group, const NcclOptions& options, std::size_t local);
    ~NcclCommunicator() override;

    [[nodiscard]] int replica() const override { return replica_; }
    [[nodiscard]] int replicaCount() const override { return group_->worldReplicas(); }
    [[nodiscard]] std::string_view backend() const override { return "nccl"; }
    void showPlaceIn(CollectivePlace& place) override { place_ = &place; }

    [[nodiscard]] std::span<float> gradients() override { return gradients_.as<float>(); }
    [[nodiscard]] std::span<float> parameters() override { return parameters_.as<float>(); }
    [[nodiscard]] std::span<const float> sums() override { return gradients_.as<float>(); }
    [[nodiscard]] std::span<float> moments(int index) override;

    void setVotes(const StepVotes& mine) override;
    void post(std::size_t bucket) override;
    [[nodiscard]] Result<Range> reduce(std::size_t bucket) override;
    [[nodiscard]] const StepVotes& votes() const override { return votes_; }
    void publish(std::size_t bucket) override;
    [[nodiscard]] Result<void> finishStep() override;

    [[nodiscard]] Result<void> broadcastState() override;
    [[nodiscard]] Result<void> allGather(std::span<const std::uint64_t> mine,
                                         std::span<std::uint64_t> all) override;
    void abort() override { group_->abort(); }

    [[nodiscard]] int reducerReplicas() const override { return replicaCount(); }
    [[nodiscard]] int localReplicas() const override { return group_->localReplicas(); }
    [[nodiscard]] Result<void> meetLocal() override { return group_->meet(); }
    [[nodiscard]] Result<void> enqueueSum(void* stream, std::span<float> values) override;
    [[nodiscard]] Result<void> enqueueSum(void* stream, std::span<double> values) override;
    [[nodiscard]] Result<void> healthy() override { return group_->healthy(); }

private:
    /// Words of one replica that one round of allGather carries.
    static constexpr std::size_t kGatherWords = 64;

    NcclCommunicator(std::shared_ptr<NcclGroup> group, const NcclOptions& options,
                     std::size_t local);
    [[nodiscard]] Result<void> open();
    [[nodiscard]] Result<void> enter();
    [[nodiscard]] Result<void> sum(cudaStream_t stream, void* values, std::size_t count,
                                   ncclDataType_t type);
    [[nodiscard]] Result<void> await(cudaEvent_t event);
    [[nodiscard]] Result<void> awaitStream();
    [[nodiscard]] Result<void> mark(cudaEvent_t event);

    const std::shared_ptr<NcclGroup> group_;
    const BufferLayout layout_;
    const std::size_t local_;
    int replica_ = 0;
    tensor::cuda::StreamHandle stream_;
    std::vector<tensor::cuda::EventHandle> bucketDone_;
    tensor::cuda::EventHandle marker_;
    tensor::Buffer gradients_;
    tensor::Buffer parameters_;
    std::vector<tensor::Buffer> moments_;
    tensor::Buffer voteWords_;
    tensor::Buffer gatherMine_;
    tensor::Buffer gatherAll_;
    StepVotes mine_;
    StepVotes votes_;
    Result<void> posted_;  ///< The first failure of a post(), which cannot say so itself.
    std::size_t postedBuckets_ = 0;
    std::size_t reducedBuckets_ = 0;
    std::size_t publishedBuckets_ = 0;
    CollectivePlace unseen_;
    CollectivePlace* place_ = &unseen_;
};

}  // namespace lockstep::collective
