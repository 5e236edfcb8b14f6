// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/collective/communicator.h"
#include "core/collective/gloo_mesh.h"
#include "core/collective/sum.h"

namespace lockstep::collective {

/// One group of replicas as the other groups see it.
struct ExchangeGroup {
    int host = 0;
    std::vector<int> replicas;  ///< Global indices.
    /// Arrays that it sends: 1 when its replicas may be added before they leave, that is when they
    /// are the first of their host; otherwise one per replica, since ((a+b)+c)+d is not
    /// (a+b)+(c+d).
    int terms = 1;
    int name = 0;  ///< Of its first replica, for whoever watches who waits for whom.
};

/// Sums gradients over groups of replicas, over Gloo. Each group has one speaker here.
///
/// A bucket is either sent whole by everybody to everybody (two groups, or little data: one message
/// of latency), or cut into one piece per group, which that group sums and hands to the others.
/// Both add in the order of HostRows. Receives are queued one step ahead, so that a peer's message
/// never waits for us to ask for it. Belongs to one thread, except abort().
class GlooExchange {
public:
    struct Options {
        std::vector<ExchangeGroup> groups;        ///< By rank.
        int rank = 0;                             ///< Which of them this is.
        BufferLayout layout;                      ///< Equal everywhere.
        std::vector<std::span<const float>> own;  ///< This group's terms.
        std::span<float> sums;                    ///< Where the sums go; overlaps no term.
    };

    /// Queues the receives of step 0.
    GlooExchange(std::unique_ptr<GlooMesh> mesh, Options options);
    ~GlooExchange();

    /// This group's terms of the bucket are final: sends them; with bucket 0 also `votes` (one per
    /// replica of the group, copied). Never waits.
    void start(std::uint64_t step, std::size_t bucket, std::span<const StepVotes> votes);
    /// Waits for the started bucket; afterwards sums() of the whole bucket are there.
    [[nodiscard]] TransferEnd finish(std::uint64_t step, std::size_t bucket, Nanos deadline);
    /// The sum over all replicas of the job in their order, after bucket 0.
    [[nodiscard]] const StepVotes& votes() const { return totalVotes_; }

    /// A piece of the memory of the group of replica 0, never empty, to everybody's. `round`
    /// differs in every call of this, of gather() and of deal().
    [[nodiscard]] TransferEnd broadcast(std::uint64_t round, std::span<float> piece,
                                        Nanos deadline);
    /// The words of this group's replicas to all; those of rank r, whose number is known from its
    /// replicas, into `words[r]`. `words[rank]` holds this group's.
    [[nodiscard]] TransferEnd gather(std::uint64_t round,
                                     std::span<std::vector<std::uint64_t>> words, Nanos deadline);
    /// `out[r]` to rank r, and what that one has for this group into `in[r]`, whose size is known.
    /// What is there for this rank itself is left.
    [[nodiscard]] TransferEnd deal(std::uint64_t round,
                                   std::span<const std::span<const std::uint64_t>> out,
                                   std::span<std::vector<std::uint64_t>> in, Nanos deadline);
    void abort() { mesh_->abort(); }
    /// Of the transfer that has failed: the name of the first replica of the group at its other
    /// end.
    [[nodiscard]] int failedPeer() const { return failedPeer_; }

    /// Shows in `place` from now on which group's first replica is awaited.
    void showPlaceIn(CollectivePlace& place) { place_ = &place; }

private:
    using Transfers = std::vector<std::unique_ptr<GlooTransfer>>;

    struct TermTransfer {
        std::size_t term;
        std::unique_ptr<GlooTransfer> transfer;
    };

    /// What one bucket needs, made once.
    struct Bucket {
        Range piece;                  // What this group sums.
        std::vector<float> received;  // The others' terms of the piece; outlives the transfers.
        HostRows rows;                // All terms of the piece, in the order of summation.
        std::vector<TermTransfer> termsOut;
        std::vector<TermTransfer> termsIn;
        Transfers sumsOut;  // Of this group's piece, and the others' of theirs; none when everybody
        Transfers sumsIn;   // sends everything.
    };

    [[nodiscard]] bool sentWhole(Range range) const;
    [[nodiscard]] Bucket prepare(Range range);
    void prepareSums(Bucket& bucket, Range range);
    void prepareVotes();
    void queueReceives(std::uint64_t step, std::size_t bucket);
    [[nodiscard]] TransferEnd finish(GlooTransfer& transfer, Nanos deadline);
    [[nodiscard]] TransferEnd finishAll(const Transfers& transfers, Nanos deadline);
    [[nodiscard]] TransferEnd finishTerms(Bucket& bucket, Nanos deadline);
    [[nodiscard]] TransferEnd finishVotes(Nanos deadline);
    [[nodiscard]] const ExchangeGroup& group(int rank) const;
    [[nodiscard]] int ranks() const { return static_cast<int>(options_.groups.size()); }

    std::unique_ptr<GlooMesh> mesh_;
    Options options_;
    std::vector<Bucket> buckets_;
    std::vector<StepVotes> ownVotes_;
    std::vector<std::vector<StepVotes>> receivedVotes_;  // By rank.
    std::vector<StepVotes> replicaVotes_;                // Of all replicas, by global index.
    Transfers votesOut_;
    Transfers votesIn_;
    StepVotes totalVotes_;
    int failedPeer_ = 0;
    CollectivePlace unseen_;
    CollectivePlace* place_ = &unseen_;
};

}  // namespace lockstep::collective
