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
class NcclCommunicator final : public Communicator,
                               public tensor::DeviceReducer,
                               public tensor::DeviceGatherer {
public:
    [[nodiscard]] static Result<std::unique_ptr<NcclCommunicator>> make(
        std::shared_ptr<NcclGroup> group, const NcclOptions& options, std::size_t local,
        NcclAxis axis = NcclAxis::Batch);
    ~NcclCommunicator() override;

    [[nodiscard]] int replica() const override { return replica_; }
    [[nodiscard]] int replicaCount() const override { return group_->replicasAlong(axis_); }
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
    [[nodiscard]] Result<void> allToAll(std::span<const std::uint64_t> mine,
                                        std::span<std::uint64_t> pieces) override;
    void abort() override { group_->abort(); }

    [[nodiscard]] int reducerReplicas() const override { return replicaCount(); }
    [[nodiscard]] int localReplicas() const override { return group_->localReplicas(); }
    [[nodiscard]] Result<void> meetLocal() override { return group_->meet(); }
    [[nodiscard]] Result<void> enqueueSum(void* stream, std::span<float> values) override;
    [[nodiscard]] Result<void> enqueueSum(void* stream, std::span<double> values) override;
    [[nodiscard]] Result<void> healthy() override { return group_->healthy(); }

    [[nodiscard]] int members() const override { return replicaCount(); }
    [[nodiscard]] Result<void> enqueueGather(void* stream, std::span<const float> mine,
                                             std::span<float> all) override;

private:
    NcclCommunicator(std::shared_ptr<NcclGroup> group, const NcclOptions& options,
                     std::size_t local, NcclAxis axis);
    [[nodiscard]] Result<void> open();
    [[nodiscard]] Result<void> enter();
    template <typename T>
    [[nodiscard]] Result<void> sum(cudaStream_t stream, std::span<T> values, ncclDataType_t type);
    template <typename T>
    [[nodiscard]] Result<void> sumInOrder(cudaStream_t stream, std::span<T> values,
                                          ncclDataType_t type);
    [[nodiscard]] Result<void> gather(cudaStream_t stream, const void* mine, void* all,
                                      std::size_t count, ncclDataType_t type);
    /// Of a mesh with more than two rows: NCCL may add in another order in each column, and what
    /// all of a row have would drift apart. Of two, any order gives the same.
    [[nodiscard]] bool addsInOrder() const {
        return axis_ == NcclAxis::Batch && group_->replicasAlong(NcclAxis::Model) > 1 &&
               replicaCount() > 2;
    }
    [[nodiscard]] Result<void> sharePiece(std::span<float> piece);
    [[nodiscard]] Result<void> await(cudaEvent_t event);
    [[nodiscard]] Result<void> awaitStream();
    [[nodiscard]] Result<void> mark(cudaEvent_t event);

    const std::shared_ptr<NcclGroup> group_;
    const BufferLayout layout_;
    const std::size_t local_;
    const NcclAxis axis_;
    const std::size_t connection_;
    int replica_ = 0;          ///< Along the axis.
    int ofJob_ = 0;            ///< The same replica of the job.
    std::size_t gatherWords_;  ///< Words of one replica that one round of allGather carries.
    tensor::cuda::StreamHandle stream_;
    std::vector<tensor::cuda::EventHandle> bucketDone_;
    tensor::cuda::EventHandle marker_;
    tensor::Buffer gradients_;
    tensor::Buffer parameters_;
    std::vector<tensor::Buffer> moments_;
    tensor::Buffer terms_;  ///< Where sums are made in order: what each replica adds.
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
