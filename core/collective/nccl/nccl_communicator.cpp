// SPDX-License-Identifier: Apache-2.0
#include "core/collective/nccl/nccl_communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/tensor/cuda/cuda_error.h"
#include "core/tensor/cuda/layers/mesh.h"

namespace lockstep::collective {

namespace {

using tensor::cuda::check;

constexpr std::chrono::microseconds kSpin{200};
constexpr std::chrono::microseconds kNap{50};
constexpr std::size_t kVoteCount = 5;
/// Of a round of allGather: a few words, or a piece of the tensors that a row puts together.
constexpr std::size_t kFewWords = 64;
constexpr std::size_t kPieceWords = std::size_t{1} << 17;
/// Of a replica's terms that are gathered at a time, where they are added in order.
constexpr std::size_t kTermBytes = std::size_t{4} << 20;

/// What a row's members share besides their words is nothing: one number.
BufferLayout layoutAlong(const NcclOptions& options, NcclAxis axis) {
    if (axis == NcclAxis::Batch) return options.layout;
    return {.parameters = 1, .buckets = {{0, 1}}, .moments = 0};
}

}  // namespace

NcclCommunicator::NcclCommunicator(std::shared_ptr<NcclGroup> group, const NcclOptions& options,
                                   std::size_t local, NcclAxis axis)
    : group_(std::move(group)),
      layout_(layoutAlong(options, axis)),
      local_(local),
      axis_(axis),
      connection_(group_->connectionOf(local, axis)),
      gatherWords_(axis == NcclAxis::Batch ? kFewWords : kPieceWords) {
    const Topology& topology = options.topology;
    ofJob_ = topology.replica(topology.thisProcess, static_cast<int>(local));
    const bool isRow = axis == NcclAxis::Model;
    replica_ = isRow ? ofJob_ % options.members : ofJob_ / options.members;
}

NcclCommunicator::~NcclCommunicator() {
    if (stream_ == nullptr) return;
    cudaSetDevice(group_->device(local_));
    // Aborted operations end within the watch's interval; nothing may use the memory afterwards.
    cudaStreamSynchronize(stream_.get());
}

Result<std::unique_ptr<NcclCommunicator>> NcclCommunicator::make(std::shared_ptr<NcclGroup> group,
                                                                 const NcclOptions& options,
                                                                 std::size_t local, NcclAxis axis) {
    std::unique_ptr<NcclCommunicator> one(
        new NcclCommunicator(std::move(group), options, local, axis));
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
    const std::size_t words = gatherWords_ * sizeof(std::uint64_t);
    std::vector<std::pair<tensor::Buffer*, std::size_t>> wanted{
        {&gradients_, bytes},
        {&parameters_, bytes},
        {&voteWords_, kVoteCount * sizeof(double)},
        {&gatherMine_, words},
        {&gatherAll_, words * static_cast<std::size_t>(replicaCount())}};
    for (tensor::Buffer& one : moments_)
        wanted.emplace_back(&one, bytes);
    for (const auto& [buffer, size] : wanted)
        *buffer = TRY(tensor::cuda::pinnedMemory(size));
    if (addsInOrder())
        terms_ =
            TRY(tensor::cuda::deviceMemory(kTermBytes * static_cast<std::size_t>(replicaCount())));
    return {};
}

std::span<float> NcclCommunicator::moments(int index) {
    LS_CHECK(index >= 0 && index < layout_.moments, "the optimiser has this array");
    return moments_[static_cast<std::size_t>(index)].as<float>();
}

template <typename T>
Result<void> NcclCommunicator::sum(cudaStream_t stream, std::span<T> values, ncclDataType_t type) {
    TRY(enter());
    place_->begin(CollectiveKind::Sum);
    place_->reachPoint();
    if (addsInOrder()) return sumInOrder(stream, values, type);
    return group_->call(connection_, "summing gradients", [&](ncclComm_t connection) {
        return ncclAllReduce(values.data(), values.data(), values.size(), type, ncclSum, connection,
                             stream);
    });
}

template <typename T>
Result<void> NcclCommunicator::sumInOrder(cudaStream_t stream, std::span<T> values,
                                          ncclDataType_t type) {
    const auto replicas = static_cast<std::size_t>(replicaCount());
    constexpr std::size_t kMost = kTermBytes / sizeof(T);
    for (std::size_t at = 0; at < values.size(); at += kMost) {
        const std::span<T> some = values.subspan(at, std::min(kMost, values.size() - at));
        T* terms = terms_.as<T>().data();
        TRY(gather(stream, some.data(), terms, some.size(), type));
        tensor::cuda::launchSumParts(stream, terms, replicas, some.size(), some.data());
    }
    return check(cudaGetLastError(), "starting a kernel");
}

Result<void> NcclCommunicator::gather(cudaStream_t stream, const void* mine, void* all,
                                      std::size_t count, ncclDataType_t type) {
    return group_->call(connection_, "gathering numbers", [&](ncclComm_t connection) {
        return ncclAllGather(mine, all, count, type, connection, stream);
    });
}

Result<void> NcclCommunicator::enqueueSum(void* stream, std::span<float> values) {
    return sum(static_cast<cudaStream_t>(stream), values, ncclFloat32);
}

Result<void> NcclCommunicator::enqueueSum(void* stream, std::span<double> values) {
    return sum(static_cast<cudaStream_t>(stream), values, ncclFloat64);
}

Result<void> NcclCommunicator::enqueueGather(void* stream, std::span<const float> mine,
                                             std::span<float> all) {
    LS_CHECK(all.size() == mine.size() * static_cast<std::size_t>(replicaCount()),
             "room for the numbers of all members");
    TRY(enter());
    place_->begin(CollectiveKind::Gather);
    place_->reachPoint();
    return gather(static_cast<cudaStream_t>(stream), mine.data(), all.data(), mine.size(),
                  ncclFloat32);
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
                                                        ofJob_, Seconds(waited).count()));
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
    place_->beginSum(bucket);
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
    place_->begin(CollectiveKind::Broadcast);
    std::vector<std::span<float>> arrays{parameters()};
    for (int i = 0; i < layout_.moments; ++i)
        arrays.push_back(moments(i));
    for (const std::span<float> array : arrays)
        for (std::size_t at = 0; at < array.size(); at += kStatePiece)
            TRY(sharePiece(array.subspan(at, std::min(kStatePiece, array.size() - at))));
    return {};
}

/// It is awaited, so that the points say what has come, not what is on its way.
Result<void> NcclCommunicator::sharePiece(std::span<float> piece) {
    place_->reachPoint();
    TRY(group_->call(connection_, "handing out the first replica's state",
                     [&](ncclComm_t connection) {
                         return ncclBroadcast(piece.data(), piece.data(), piece.size(), ncclFloat32,
                                              0, connection, stream_.get());
                     }));
    return awaitStream();
}

Result<void> NcclCommunicator::allGather(std::span<const std::uint64_t> mine,
                                         std::span<std::uint64_t> all) {
    const auto replicas = static_cast<std::size_t>(replicaCount());
    LS_CHECK(all.size() == mine.size() * replicas, "room for the words of all replicas");
    TRY(enter());
    place_->begin(CollectiveKind::Gather);
    for (std::size_t offset = 0; offset < mine.size(); offset += gatherWords_) {
        place_->reachPoint();
        const std::size_t words = std::min(gatherWords_, mine.size() - offset);
        std::memcpy(gatherMine_.data(), mine.data() + offset, words * sizeof(std::uint64_t));
        TRY(gather(stream_.get(), gatherMine_.data(), gatherAll_.data(), words, ncclUint64));
        TRY(awaitStream());
        for (std::size_t one = 0; one < replicas; ++one)
            std::memcpy(all.data() + one * mine.size() + offset,
                        gatherAll_.as<std::uint64_t>().data() + one * words,
                        words * sizeof(std::uint64_t));
    }
    return {};
}

/// What GPUs add does not come here: all is gathered, and what is for others is left.
Result<void> NcclCommunicator::allToAll(std::span<const std::uint64_t> mine,
                                        std::span<std::uint64_t> pieces) {
    const auto replicas = static_cast<std::size_t>(replicaCount());
    LS_CHECK(mine.size() % replicas == 0 && pieces.size() == mine.size(), "a piece for each");
    const std::size_t piece = mine.size() / replicas;
    std::vector<std::uint64_t> all(mine.size() * replicas);
    TRY(allGather(mine, all));
    for (std::size_t one = 0; one < replicas; ++one)
        std::copy_n(
            all.begin() + static_cast<std::ptrdiff_t>(one * mine.size() +
                                                      static_cast<std::size_t>(replica()) * piece),
            piece, pieces.begin() + static_cast<std::ptrdiff_t>(one * piece));
    return {};
}

}  // namespace lockstep::collective
