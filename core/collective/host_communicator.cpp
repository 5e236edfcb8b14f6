// SPDX-License-Identifier: Apache-2.0
#include "core/collective/host_communicator.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/base/try.h"

namespace lockstep::collective {

namespace {

/// "lost the connection to replica 2" becomes "lost the connection to replica 2 in bucket 3".
/// Whoever trains adds the step: this one's own count begins with every generation.
tl::unexpected<Error> failAt(Error error, std::string_view place) {
    error.message += fmt::format(" {}", place);
    return fail(std::move(error));
}

}  // namespace

HostCommunicator::HostCommunicator(std::shared_ptr<ReplicaGroup> group, int index)
    : group_(std::move(group)),
      index_(index),
      replica_(group_->replicas[static_cast<std::size_t>(index)]),
      segment_(*group_->segment),
      record_(segment_.record(index)),
      gradients_(segment_.gradients(index)),
      sums_(segment_.sums()),
      parameters_(segment_.parameters()),
      scratchVotes_(group_->replicas.size()) {
    prepareRows();
}

void HostCommunicator::showPlaceIn(CollectivePlace& place) {
    place_ = &place;
    if (leads() && group_->exchange) group_->exchange->showPlaceIn(place);
}

/// What the leader of the group announces.
Result<void> HostCommunicator::await(const std::atomic<std::uint64_t>& counter,
                                     std::uint64_t target, Nanos deadline) {
    const Awaiting leader(*place_, group_->topology.nameOfReplica(group_->replicas.front()));
    return group_->await(counter, target, 0, deadline);
}

Result<void> HostCommunicator::awaitAll(std::atomic<std::uint64_t> ReplicaRecord::*counter,
                                        std::uint64_t target, Nanos deadline) {
    for (int index = 0; index < group_->size(); ++index) {
        const int other = group_->replicas[static_cast<std::size_t>(index)];
        const Awaiting one(*place_, group_->topology.nameOfReplica(other));
        TRY(group_->await(segment_.record(index).*counter, target, index, deadline));
    }
    return {};
}

void HostCommunicator::prepareRows() {
    for (std::size_t bucket = 0; bucket < group_->layout.buckets.size(); ++bucket) {
        HostRows rows(1);
        for (int other = 0; other < group_->size(); ++other)
            rows.front().push_back(segment_.gradients(other).data() + share(bucket, index_).begin);
        rows_.push_back(std::move(rows));
    }
}

std::span<float> HostCommunicator::moments(int index) {
    LS_CHECK(index >= 0 && index < group_->layout.moments, "the optimiser has this array");
    return segment_.moments(index);
}

Range HostCommunicator::share(std::size_t bucket, int index) const {
    return shareOf(group_->layout.buckets[bucket], index, group_->size());
}

/// What a counter of buckets shows once `bucket` of the current step is done.
std::uint64_t HostCommunicator::countAt(std::size_t bucket) const {
    return step_ * group_->layout.buckets.size() + bucket + 1;
}

void HostCommunicator::post(std::size_t bucket) {
    LS_CHECK(bucket == posted_ && bucket < group_->layout.buckets.size(), "buckets come in order");
    ++posted_;
    if (!alone())
        segment_.announce(record_.posted, countAt(bucket));
    else if (group_->exchange)  // Travels while backward goes on.
        group_->exchange->start(step_, bucket, groupVotes());
}

std::span<const StepVotes> HostCommunicator::groupVotes() {
    for (int other = 0; other < group_->size(); ++other)
        scratchVotes_[static_cast<std::size_t>(other)] = segment_.record(other).votes;
    return scratchVotes_;
}

void HostCommunicator::sumShare(std::size_t bucket, std::span<float> sums) {
    const Range mine = share(bucket, index_);
    sumRows(sums.data() + mine.begin, rows_[bucket], mine.size());
}

Result<Range> HostCommunicator::reduce(std::size_t bucket) {
    LS_CHECK(bucket == reduced_ && bucket < posted_, "a bucket is posted, then reduced, in order");
    place_->beginSum(bucket);
    reachPoint();
    const Nanos until = deadline();
    Result<void> done = group_->alive();
    if (done && !alone()) done = awaitAll(&ReplicaRecord::posted, countAt(bucket), until);
    if (done) done = group_->exchanges() ? reduceAcross(bucket, until) : reduceWithin(bucket);
    if (!done) return failAt(done.error(), fmt::format("in bucket {}", bucket));
    ++reduced_;
    return share(bucket, index_);
}

Result<void> HostCommunicator::reduceWithin(std::size_t bucket) {
    if (bucket == 0) votes_ = sumVotes(groupVotes());
    if (!alone()) sumShare(bucket, sums_);
    return {};
}

Result<void> HostCommunicator::reduceAcross(std::size_t bucket, Nanos deadline) {
    if (group_->sumsBeforeExchange()) {
        sumShare(bucket, segment_.groupSums());
        segment_.announce(record_.summed, countAt(bucket));
    }
    reachPoint();
    if (!leads()) reachPoint();
    const auto done = leads() ? exchangeBucket(bucket, deadline)
                              : await(segment_.exchanged(), countAt(bucket), deadline);
    if (done && bucket == 0) votes_ = segment_.totalVotes();
    return done;
}

/// The leader's part: the group's sums to the others, the job's sums from them.
Result<void> HostCommunicator::exchangeBucket(std::size_t bucket, Nanos deadline) {
    if (group_->sumsBeforeExchange()) {
        TRY(awaitAll(&ReplicaRecord::summed, countAt(bucket), deadline));
    }
    reachPoint();
    if (!alone()) group_->exchange->start(step_, bucket, groupVotes());
    TRY(group_->check(group_->exchange->finish(step_, bucket, deadline)));
    if (bucket == 0) segment_.totalVotes() = group_->exchange->votes();
    segment_.announce(segment_.exchanged(), countAt(bucket));
    return {};
}

void HostCommunicator::publish(std::size_t bucket) {
    LS_CHECK(bucket == published_ && bucket < reduced_, "a bucket is reduced, then published");
    ++published_;
    if (!alone() && published_ == group_->layout.buckets.size())
        segment_.announce(record_.updated, step_ + 1);
}

Result<void> HostCommunicator::finishStep() {
    LS_CHECK(published_ == group_->layout.buckets.size(), "every bucket is published");
    place_->begin(CollectiveKind::Shares);
    reachPoint();
    const auto done = alone() || published_ == 0
                          ? group_->alive()
                          : awaitAll(&ReplicaRecord::updated, step_ + 1, deadline());
    if (!done) return failAt(done.error(), "at its end");
    ++step_;
    posted_ = reduced_ = published_ = 0;
    return {};
}

/// A point of meeting: whoever waits for this replica's arrival has passed it.
void HostCommunicator::arrive() {
    segment_.announce(record_.arrived, ++meetings_);
    reachPoint();
}

Result<void> HostCommunicator::broadcastState() {
    place_->begin(CollectiveKind::Broadcast);
    const auto done = shareState();
    if (!done) return failAt(done.error(), "while the first replica's state was handed out");
    return {};
}

Result<void> HostCommunicator::shareState() {
    // Nobody's parameters or moments are overwritten before everybody stands here.
    const Nanos until = deadline();
    arrive();
    if (leads()) TRY(awaitAll(&ReplicaRecord::arrived, meetings_, until));
    if (!group_->exchanges()) return sharePiece({});
    std::vector<std::span<float>> arrays{parameters()};
    for (int one = 0; one < group_->layout.moments; ++one)
        arrays.push_back(moments(one));
    for (const std::span<float> array : arrays)
        for (std::size_t at = 0; at < array.size(); at += kStatePiece)
            TRY(sharePiece(array.subspan(at, std::min(kStatePiece, array.size() - at))));
    return {};
}

/// All of the group stand where its leader does, though it alone speaks to the others. Empty: there
/// are none.
Result<void> HostCommunicator::sharePiece(std::span<float> piece) {
    const Nanos until = deadline();
    reachPoint();
    if (leads()) {
        if (!piece.empty())
            TRY(group_->check(group_->exchange->broadcast(meetings_, piece, until)));
        segment_.announce(segment_.relayed(), meetings_);
    }
    TRY(await(segment_.relayed(), meetings_, until));
    arrive();
    return {};
}

Result<void> HostCommunicator::allGather(std::span<const std::uint64_t> mine,
                                         std::span<std::uint64_t> all) {
    const auto replicas = static_cast<std::size_t>(replicaCount());
    LS_CHECK(all.size() == mine.size() * replicas, "room for the words of all replicas");
    place_->begin(CollectiveKind::Gather);
    for (std::size_t offset = 0; offset < mine.size(); offset += segment_.gatherCapacity()) {
        const auto done = gatherRound(mine, all, offset);
        if (!done) return failAt(done.error(), "while words of all replicas were gathered");
    }
    return {};
}

template <typename Put, typename Across, typename Take>
Result<void> HostCommunicator::wordRound(const Put& put, const Across& across, const Take& take) {
    const Nanos until = deadline();
    // The words of the round before have been read by all of the group.
    TRY(meetings_ == 1 ? group_->alive() : awaitAll(&ReplicaRecord::arrived, meetings_, until));
    put(segment_.gatherWords(replica_));
    arrive();
    if (leads()) TRY(awaitAll(&ReplicaRecord::arrived, meetings_, until));
    reachPoint();
    if (leads()) {
        if (group_->exchanges()) TRY(group_->check(across(until)));
        segment_.announce(segment_.relayed(), meetings_);
    }
    TRY(await(segment_.relayed(), meetings_, until));
    for (int one = 0; one < replicaCount(); ++one)
        take(static_cast<std::size_t>(one), segment_.gatherWords(one));
    arrive();
    return {};
}

Result<void> HostCommunicator::gatherRound(std::span<const std::uint64_t> mine,
                                           std::span<std::uint64_t> all, std::size_t offset) {
    const std::size_t words = std::min(segment_.gatherCapacity(), mine.size() - offset);
    return wordRound(
        [&](std::span<std::uint64_t> place) {
            std::ranges::copy(mine.subspan(offset, words), place.begin());
        },
        [&](Nanos until) { return gatherAcross(words, until); },
        [&](std::size_t one, std::span<const std::uint64_t> theirs) {
            std::ranges::copy(theirs.first(words),
                              all.subspan(one * mine.size() + offset, words).begin());
        });
}

TransferEnd HostCommunicator::gatherAcross(std::size_t words, Nanos deadline) {
    std::vector<std::vector<std::uint64_t>> ofRank;
    for (const ExchangeGroup& one : group_->groups)
        ofRank.emplace_back(one.replicas.size() * words);
    auto own = ofRank[static_cast<std::size_t>(group_->rank)].begin();
    for (const int one : group_->replicas)
        own = std::copy_n(segment_.gatherWords(one).begin(), words, own);
    const TransferEnd end = group_->exchange->gather(meetings_, ofRank, deadline);
    if (end != TransferEnd::Done) return end;
    for (std::size_t rank = 0; rank < ofRank.size(); ++rank) {
        auto theirs = ofRank[rank].begin();
        for (const int one : group_->groups[rank].replicas) {
            std::copy_n(theirs, words, segment_.gatherWords(one).begin());
            theirs += static_cast<std::ptrdiff_t>(words);
        }
    }
    return end;
}

/// In rounds of as many words of each piece as the segment has room for.
Result<void> HostCommunicator::allToAll(std::span<const std::uint64_t> mine,
                                        std::span<std::uint64_t> pieces) {
    const auto replicas = static_cast<std::size_t>(replicaCount());
    LS_CHECK(mine.size() % replicas == 0 && pieces.size() == mine.size(), "a piece for each");
    const std::size_t piece = mine.size() / replicas;
    const std::size_t most = segment_.gatherCapacity() / replicas;
    LS_CHECK(most > 0, "the segment has room for a word for each");
    place_->begin(CollectiveKind::AllToAll);
    for (std::size_t offset = 0; offset < piece; offset += most) {
        const std::size_t words = std::min(most, piece - offset);
        const auto done = wordRound(
            [&](std::span<std::uint64_t> place) {
                for (std::size_t one = 0; one < replicas; ++one)
                    std::ranges::copy(mine.subspan(one * piece + offset, words),
                                      place.subspan(one * words, words).begin());
            },
            [&](Nanos until) { return dealAcross(words, until); },
            [&](std::size_t one, std::span<const std::uint64_t> theirs) {
                std::ranges::copy(theirs.subspan(static_cast<std::size_t>(replica_) * words, words),
                                  pieces.subspan(one * piece + offset, words).begin());
            });
        if (!done) return failAt(done.error(), "while replicas dealt out pieces");
    }
    return {};
}

/// Each group gets what is for its replicas, and that alone.
TransferEnd HostCommunicator::dealAcross(std::size_t words, Nanos deadline) {
    std::vector<std::vector<std::uint64_t>> out;
    std::vector<std::vector<std::uint64_t>> in;
    const auto pieceOf = [&](int from, int to) {
        return segment_.gatherWords(from).subspan(static_cast<std::size_t>(to) * words, words);
    };
    for (const ExchangeGroup& other : group_->groups) {
        std::vector<std::uint64_t>& theirs = out.emplace_back();
        for (const int from : group_->replicas)
            for (const int to : other.replicas) {
                const auto piece = pieceOf(from, to);
                theirs.insert(theirs.end(), piece.begin(), piece.end());
            }
        in.emplace_back(theirs.size());
    }
    const std::vector<std::span<const std::uint64_t>> sent(out.begin(), out.end());
    const TransferEnd end = group_->exchange->deal(meetings_, sent, in, deadline);
    if (end != TransferEnd::Done) return end;
    for (std::size_t rank = 0; rank < in.size(); ++rank) {
        if (static_cast<int>(rank) == group_->rank) continue;
        auto next = in[rank].begin();
        for (const int from : group_->groups[rank].replicas)
            for (const int to : group_->replicas) {
                std::copy_n(next, words, pieceOf(from, to).begin());
                next += static_cast<std::ptrdiff_t>(words);
            }
    }
    return end;
}

}  // namespace lockstep::collective
