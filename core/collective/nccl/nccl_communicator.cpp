// SPDX-License-Identifier: Apache-2.0
#include "core/collective/nccl/nccl_communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/tensor/cuda/cuda_error.h"

namespace lockstep::collective {

namespace {

using tensor::cuda::check;

constexpr std::chrono::microseconds kSpin{200};
constexpr std::chrono::microseconds kNap{50};
constexpr std::size_t kVoteCount = 5;

}  // namespace

NcclCommunicator::NcclCommunicator(std::shared_ptr<NcclGroup> group, const NcclOptions& options,
                                   std::size_t local)
    : group_(std::move(group)), layout_(options.layout), local_(local) {
    const Topology& topology = options.topology;
    replica_ = topology.replica(topology.thisProcess, static_cast<int>(local));
}

NcclCommunicator::~NcclCommunicator() {
    if (stream_ == nullptr) return;
    cudaSetDevice(group_->device(local_));
    // Aborted operations end within the watch's interval; nothing may use the memory afterwards.
    cudaStreamSynchronize(stream_.get());
}

Result<std::unique_ptr<NcclCommunicator>> NcclCommunicator::make(std::shared_ptr<NcclGroup> group,
                                                                 const NcclOptions& options,
                                                                 std::size_t local) {
    std::unique_ptr<NcclCommunicator> one(new NcclCommunicator(std::move(group), options, local));
    if (auto opened = one->open(); !opened) return fail(std::move(opened).error());
    return one;
}

Result<void> NcclCommunicator::enter() {
    return check(cudaSetDevice(group_->device(local_)), "being chosen");
}

Result<void> NcclCommunicator::open() {
    TRY(enter());
    auto stream = tensor::cuda::makeStreamHandle();
    if (!stream) return fail(std::move(stream).error());
    stream_ = std::move(*stream);
    for (std::size_t i = 0; i <= layout_.buckets.size(); ++i) {
        auto event = tensor::cuda::makeEventHandle();
        if (!event) return fail(std::move(event).error());
        (i == 0 ? marker_ : bucketDone_.emplace_back()) = std::move(*event);
    }
    moments_.resize(static_cast<std::size_t>(layout_.moments));
    const std::size_t bytes = layout_.parameters * sizeof(float);
    const std::size_t words = kGatherWords * sizeof(std::uint64_t);
    std::vector<std::pair<tensor::Buffer*, std::size_t>> wanted{
        {&gradients_, bytes},
        {&parameters_, bytes},
        {&voteWords_, kVoteCount * sizeof(double)},
        {&gatherMine_, words},
        {&gatherAll_, words * static_cast<std::size_t>(replicaCount())}};
    for (tensor::Buffer& one : moments_)
        wanted.emplace_back(&one, bytes);
    for (const auto& [buffer, size] : wanted) {
        auto memory = tensor::cuda::pinnedMemory(size);
        if (!memory) return fail(std::move(memory).error());
        *buffer = std::move(*memory);
    }
    return {};
}

std::span<float> NcclCommunicator::moments(int index) {
    LS_CHECK(index >= 0 && index < layout_.moments, "the optimiser has this array");
    return moments_[static_cast<std::size_t>(index)].as<float>();
}

Result<void> NcclCommunicator::sum(cudaStream_t stream, void* values, std::size_t count,
                                   ncclDataType_t type) {
    TRY(enter());
    place_->reachPoint();
    return group_->call(local_, "summing gradients", [&](ncclComm_t connection) {
        return ncclAllReduce(values, values, count, type, ncclSum, connection, stream);
    });
}

Result<void> NcclCommunicator::enqueueSum(void* stream, std::span<float> values) {
    return sum(static_cast<cudaStream_t>(stream), values.data(), values.size(), ncclFloat32);
}

Result<void> NcclCommunicator::enqueueSum(void* stream, std::span<double> values) {
    return sum(static_cast<cudaStream_t>(stream), values.data(), values.size(), ncclFloat64);
}

Result<void> NcclCommunicator::mark(cudaEvent_t event) {
    return check(cudaEventRecord(event, stream_.get()), "marking");
}

Result<void> NcclCommunicator::await(cudaEvent_t event) {
    const Nanos begin = SteadyClock::read();
    for (;;) {
        const cudaError_t state = cudaEventQuery(event);
        // Asked behind the event: sums that were aborted end, too, and are none.
        TRY(group_->healthy());
        if (state != cudaErrorNotReady) return check(state, "summing gradients");
        const Nanos waited = SteadyClock::read() - begin;
        if (waited > group_->timeout())
            return fail(ErrorCode::Timeout, fmt::format("replica {} waited {:.0f} s for the others",
                                                        replica_, Seconds(waited).count()));
        if (waited > kSpin) std::this_thread::sleep_for(kNap);
    }
}

Result<void> NcclCommunicator::awaitStream() {
    TRY(mark(marker_.get()));
    return await(marker_.get());
}

void NcclCommunicator::setVotes(const StepVotes& mine) {
    mine_ = mine;
}

void NcclCommunicator::post(std::size_t bucket) {
    LS_CHECK(bucket == postedBuckets_ && bucket < layout_.buckets.size(), "buckets come in order");
    ++postedBuckets_;
    if (bucket == 0) {
        const double votes[kVoteCount] = {mine_.lossSum, mine_.correct, mine_.samples, mine_.stop,
                                          mine_.notFinite};
        std::memcpy(voteWords_.data(), votes, sizeof votes);
        posted_ = enqueueSum(stream_.get(), voteWords_.as<double>());
    }
    const Range range = layout_.buckets[bucket];
    if (posted_ && range.size() > 0)
        posted_ = enqueueSum(stream_.get(), gradients().subspan(range.begin, range.size()));
    if (posted_) posted_ = mark(bucketDone_[bucket].get());
}

Result<Range> NcclCommunicator::reduce(std::size_t bucket) {
    LS_CHECK(bucket == reducedBuckets_ && bucket < postedBuckets_,
             "a bucket is posted, then reduced, in order");
    auto done = posted_;
    if (done) done = await(bucketDone_[bucket].get());
    if (!done) return fail(std::move(done).error());
    ++reducedBuckets_;
    if (bucket == 0) {
        const auto words = voteWords_.as<double>();
        votes_ = {words[0], words[1], words[2], words[3], words[4]};
    }
    return layout_.buckets[bucket];
}

void NcclCommunicator::publish(std::size_t bucket) {
    LS_CHECK(bucket == publishedBuckets_ && bucket < reducedBuckets_,
             "a bucket is reduced, then published");
    ++publishedBuckets_;
}

Result<void> NcclCommunicator::finishStep() {
    LS_CHECK(publishedBuckets_ == layout_.buckets.size(), "every bucket is published");
    postedBuckets_ = reducedBuckets_ = publishedBuckets_ = 0;
    return group_->healthy();
}

Result<void> NcclCommunicator::broadcastState() {
    TRY(enter());
    place_->reachPoint();
    std::vector<std::span<float>> arrays{parameters()};
    for (int i = 0; i < layout_.moments; ++i)
        arrays.push_back(moments(i));
    for (const std::span<float> array : arrays) {
        if (array.empty()) continue;
        auto sent = group_->call(
            local_, "handing out the first replica's state", [&](ncclComm_t connection) {
                return ncclBroadcast(array.data(), array.data(), array.size(), ncclFloat32, 0,
                                     connection, stream_.get());
            });
        if (!sent) return sent;
    }
    return awaitStream();
}

Result<void> NcclCommunicator::allGather(std::span<const std::uint64_t> mine,
                                         std::span<std::uint64_t> all) {
    const auto replicas = static_cast<std::size_t>(replicaCount());
    LS_CHECK(all.size() == mine.size() * replicas, "room for the words of all replicas");
    TRY(enter());
    place_->reachPoint();
    for (std::size_t offset = 0; offset < mine.size(); offset += kGatherWords) {
        const std::size_t words = std::min(kGatherWords, mine.size() - offset);
        std::memcpy(gatherMine_.data(), mine.data() + offset, words * sizeof(std::uint64_t));
        auto sent = group_->call(local_, "gathering words", [&](ncclComm_t connection) {
            return ncclAllGather(gatherMine_.data(), gatherAll_.data(), words, ncclUint64,
                                 connection, stream_.get());
        });
        if (sent) sent = awaitStream();
        if (!sent) return sent;
        for (std::size_t one = 0; one < replicas; ++one)
            std::memcpy(all.data() + one * mine.size() + offset,
                        gatherAll_.as<std::uint64_t>().data() + one * words,
                        words * sizeof(std::uint64_t));
    }
    return {};
}

}  // namespace lockstep::collective
