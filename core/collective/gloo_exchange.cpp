// SPDX-License-Identifier: Apache-2.0
#include "core/collective/gloo_exchange.h"

#include <algorithm>
#include <map>

#include "core/base/check.h"

namespace lockstep::collective {

namespace {

// Below this, sending everything to everybody costs less than a second message's latency.
constexpr std::size_t kWholeBytes = std::size_t{64} << 10;

// What a message carries; the number of a term is added to the last.
enum Kind : std::uint64_t { kVotes = 0, kSums = 1, kFirstTerm = 2 };

/// Numbers that tell apart all messages between two ranks that can be under way together. Bit 62
/// belongs to the mesh.
std::uint64_t slotOf(std::uint64_t step, std::size_t bucket, std::uint64_t kind) {
    constexpr unsigned kKindBits = 12;
    constexpr unsigned kBucketBits = 16;
    return (step << (kKindBits + kBucketBits)) | (bucket << kKindBits) | kind;
}

std::uint64_t slotOfRound(std::uint64_t round) {
    constexpr std::uint64_t kRoundFlag = std::uint64_t{1} << 63;
    return kRoundFlag | round;
}

template <typename T>
std::span<const std::byte> bytesOf(std::span<T> items) {
    return std::as_bytes(items);
}

std::span<float> part(std::span<float> array, Range range) {
    return array.subspan(range.begin, range.size());
}

}  // namespace

GlooExchange::GlooExchange(std::unique_ptr<GlooMesh> mesh, Options options)
    : mesh_(std::move(mesh)), options_(std::move(options)) {
    for (const Range range : options_.layout.buckets)
        buckets_.push_back(prepare(range));
    prepareVotes();
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket)
        queueReceives(0, bucket);
}

GlooExchange::~GlooExchange() = default;

TransferEnd GlooExchange::finish(GlooTransfer& transfer, Nanos deadline) {
    const int peer = group(transfer.peer()).name;
    const Awaiting other(*place_, peer);
    const TransferEnd end = transfer.finish(deadline);
    if (end != TransferEnd::Done) failedPeer_ = peer;
    return end;
}

/// Waits for all; the first that fails decides.
TransferEnd GlooExchange::finishAll(const Transfers& transfers, Nanos deadline) {
    for (const auto& transfer : transfers) {
        const TransferEnd end = finish(*transfer, deadline);
        if (end != TransferEnd::Done) return end;
    }
    return TransferEnd::Done;
}

const ExchangeGroup& GlooExchange::group(int rank) const {
    return options_.groups[static_cast<std::size_t>(rank)];
}

bool GlooExchange::sentWhole(Range range) const {
    int terms = 0;
    for (const ExchangeGroup& one : options_.groups)
        terms += one.terms;
    const bool pair = ranks() == 2 && terms == 2;
    return pair || range.size() * sizeof(float) * static_cast<std::size_t>(terms) <= kWholeBytes;
}

/// Makes the transfers of a bucket's terms, and lists all terms in the order of summation.
GlooExchange::Bucket GlooExchange::prepare(Range range) {
    const bool whole = sentWhole(range);
    const auto pieceOf = [&](int rank) { return whole ? range : shareOf(range, rank, ranks()); };
    Bucket bucket;
    bucket.piece = pieceOf(options_.rank);
    std::size_t foreignTerms = 0;
    for (int rank = 0; rank < ranks(); ++rank)
        if (rank != options_.rank) foreignTerms += static_cast<std::size_t>(group(rank).terms);
    bucket.received.resize(foreignTerms * bucket.piece.size());

    std::map<int, std::vector<const float*>> rowsOfHost;  // Hosts in order, their ranks in order.
    std::span<float> unused = bucket.received;
    for (int rank = 0; rank < ranks(); ++rank) {
        std::vector<const float*>& rows = rowsOfHost[group(rank).host];
        for (std::size_t term = 0; term < static_cast<std::size_t>(group(rank).terms); ++term) {
            if (rank == options_.rank) {
                rows.push_back(options_.own[term].data() + bucket.piece.begin);
                continue;
            }
            const std::span<float> place = unused.first(bucket.piece.size());
            unused = unused.subspan(bucket.piece.size());
            rows.push_back(place.data());
            if (!place.empty())
                bucket.termsIn.push_back(
                    {term, mesh_->incoming(rank, std::as_writable_bytes(place))});
        }
        if (rank == options_.rank || pieceOf(rank).size() == 0) continue;
        for (std::size_t term = 0; term < options_.own.size(); ++term) {
            const Range piece = pieceOf(rank);
            const auto mine = options_.own[term].subspan(piece.begin, piece.size());
            bucket.termsOut.push_back({term, mesh_->outgoing(rank, bytesOf(mine))});
        }
    }
    for (auto& [host, rows] : rowsOfHost)
        bucket.rows.push_back(std::move(rows));
    if (!whole) prepareSums(bucket, range);
    return bucket;
}

void GlooExchange::prepareSums(Bucket& bucket, Range range) {
    for (int rank = 0; rank < ranks(); ++rank) {
        if (rank == options_.rank) continue;
        if (bucket.piece.size() > 0)
            bucket.sumsOut.push_back(
                mesh_->outgoing(rank, bytesOf(part(options_.sums, bucket.piece))));
        const Range theirs = shareOf(range, rank, ranks());
        if (theirs.size() > 0)
            bucket.sumsIn.push_back(
                mesh_->incoming(rank, std::as_writable_bytes(part(options_.sums, theirs))));
    }
}

void GlooExchange::prepareVotes() {
    std::size_t replicas = 0;
    for (const ExchangeGroup& one : options_.groups)
        replicas += one.replicas.size();
    replicaVotes_.resize(replicas);
    ownVotes_.resize(group(options_.rank).replicas.size());
    receivedVotes_.resize(options_.groups.size());
    for (int rank = 0; rank < ranks(); ++rank) {
        if (rank == options_.rank) continue;
        std::vector<StepVotes>& theirs = receivedVotes_[static_cast<std::size_t>(rank)];
        theirs.resize(group(rank).replicas.size());
        votesOut_.push_back(mesh_->outgoing(rank, bytesOf(std::span(ownVotes_))));
        votesIn_.push_back(mesh_->incoming(rank, std::as_writable_bytes(std::span(theirs))));
    }
}

void GlooExchange::queueReceives(std::uint64_t step, std::size_t bucket) {
    if (bucket == 0)
        for (const auto& votes : votesIn_)
            votes->start(slotOf(step, bucket, kVotes));
    for (const TermTransfer& in : buckets_[bucket].termsIn)
        in.transfer->start(slotOf(step, bucket, kFirstTerm + in.term));
    for (const auto& sums : buckets_[bucket].sumsIn)
        sums->start(slotOf(step, bucket, kSums));
}

void GlooExchange::start(std::uint64_t step, std::size_t bucket, std::span<const StepVotes> votes) {
    if (bucket == 0) {
        LS_CHECK(votes.size() == ownVotes_.size(), "one vote per replica");
        std::copy(votes.begin(), votes.end(), ownVotes_.begin());
        for (const auto& out : votesOut_)
            out->start(slotOf(step, bucket, kVotes));
    }
    for (const TermTransfer& out : buckets_[bucket].termsOut)
        out.transfer->start(slotOf(step, bucket, kFirstTerm + out.term));
}

TransferEnd GlooExchange::finishTerms(Bucket& bucket, Nanos deadline) {
    for (const TermTransfer& in : bucket.termsIn) {
        const TransferEnd end = finish(*in.transfer, deadline);
        if (end != TransferEnd::Done) return end;
    }
    sumRows(options_.sums.data() + bucket.piece.begin, bucket.rows, bucket.piece.size());
    return TransferEnd::Done;
}

TransferEnd GlooExchange::finishVotes(Nanos deadline) {
    const TransferEnd end = finishAll(votesIn_, deadline);
    if (end != TransferEnd::Done) return end;
    for (int rank = 0; rank < ranks(); ++rank) {
        const auto& theirs =
            rank == options_.rank ? ownVotes_ : receivedVotes_[static_cast<std::size_t>(rank)];
        for (std::size_t local = 0; local < theirs.size(); ++local)
            replicaVotes_[static_cast<std::size_t>(group(rank).replicas[local])] = theirs[local];
    }
    totalVotes_ = sumVotes(replicaVotes_);
    return finishAll(votesOut_, deadline);
}

TransferEnd GlooExchange::finish(std::uint64_t step, std::size_t bucket, Nanos deadline) {
    Bucket& transfers = buckets_[bucket];
    TransferEnd end = finishTerms(transfers, deadline);
    if (end != TransferEnd::Done) return end;
    for (const auto& out : transfers.sumsOut)
        out->start(slotOf(step, bucket, kSums));
    if (bucket == 0) end = finishVotes(deadline);
    if (end == TransferEnd::Done) end = finishAll(transfers.sumsIn, deadline);
    // Once this returns the caller may overwrite what is sent from.
    if (end == TransferEnd::Done) end = finishAll(transfers.sumsOut, deadline);
    for (const TermTransfer& out : transfers.termsOut)
        if (end == TransferEnd::Done) end = finish(*out.transfer, deadline);
    if (end == TransferEnd::Done) queueReceives(step + 1, bucket);
    return end;
}

TransferEnd GlooExchange::broadcast(std::uint64_t round, std::span<float> piece, Nanos deadline) {
    int root = 0;
    while (group(root).replicas.front() != 0)
        ++root;
    Transfers transfers;
    if (options_.rank != root)
        transfers.push_back(mesh_->incoming(root, std::as_writable_bytes(piece)));
    for (int rank = 0; options_.rank == root && rank < ranks(); ++rank)
        if (rank != root) transfers.push_back(mesh_->outgoing(rank, bytesOf(piece)));
    for (const auto& transfer : transfers)
        transfer->start(slotOfRound(round));
    return finishAll(transfers, deadline);
}

TransferEnd GlooExchange::gather(std::uint64_t round, std::span<std::vector<std::uint64_t>> words,
                                 Nanos deadline) {
    const std::vector<std::span<const std::uint64_t>> out(
        words.size(), words[static_cast<std::size_t>(options_.rank)]);
    return deal(round, out, words, deadline);
}

TransferEnd GlooExchange::deal(std::uint64_t round,
                               std::span<const std::span<const std::uint64_t>> out,
                               std::span<std::vector<std::uint64_t>> in, Nanos deadline) {
    Transfers transfers;
    const auto start = [&](std::unique_ptr<GlooTransfer> transfer) {
        transfers.push_back(std::move(transfer));
        transfers.back()->start(slotOfRound(round));
    };
    for (int rank = 0; rank < ranks(); ++rank) {
        if (rank == options_.rank) continue;
        const auto index = static_cast<std::size_t>(rank);
        if (!in[index].empty())
            start(mesh_->incoming(rank, std::as_writable_bytes(std::span(in[index]))));
        if (!out[index].empty()) start(mesh_->outgoing(rank, bytesOf(out[index])));
    }
    return finishAll(transfers, deadline);
}

}  // namespace lockstep::collective
