// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/collective_place.h"
#include "core/base/result.h"

namespace lockstep::collective {

/// Half-open range of elements of the flat buffers.
struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;

    [[nodiscard]] std::size_t size() const { return end - begin; }
    [[nodiscard]] bool operator==(const Range&) const = default;
};

/// Numbers that travel with the first bucket of a step and are known to all before any weight is
/// touched: each is summed over all replicas in replica order, in float64.
struct StepVotes {
    double lossSum = 0;  ///< Sum of the losses of the step's samples.
    double correct = 0;  ///< Samples predicted right.
    double samples = 0;
    double stop = 0;       ///< More than 0: somebody was asked to stop; all end after this step.
    double notFinite = 0;  ///< More than 0: somebody saw NaN or infinity; nobody applies the step.
};

/// Numbers of a state that travel at a time, 16 MiB: a replica reaches a point with each, and may
/// wait for each as long as for any other message. So what is large, or comes slowly, is seen to
/// move.
constexpr std::size_t kStatePiece = std::size_t{1} << 22;

/// One replica's connection to all others of the job, and the flat buffers it works on.
///
/// The step is ZeRO-1 with one order of summation everywhere (replicas of a host in order, then
/// hosts in order, element by element), so that every transport gives the same bits:
///
///     setVotes(…); post(0) … post(B-1)      while backward goes on, never blocks
///     for each bucket:
///         share = reduce(b); update parameters()[share] from sums()[share]; publish(b)
///     finishStep()                          all shares of the others are in parameters()
///
/// Replicas that share memory share one copy of the weights, and each updates its share in place.
/// So a replica reads a bucket's weights only from finishStep() to the next post() of that bucket.
///
/// All calls come from the replica's step thread, except abort(). Every wait ends after the
/// timeout given at creation, or when abort() is called: Timeout, PeerLost. After an error the
/// communicator is dead; a new one of the next generation replaces it.
class Communicator {
public:
    virtual ~Communicator() = default;

    [[nodiscard]] virtual int replica() const = 0;
    [[nodiscard]] virtual int replicaCount() const = 0;
    /// local | shm | gloo | nccl | shm+gloo
    [[nodiscard]] virtual std::string_view backend() const = 0;
    /// Shows in `place` from now on, which must outlive this, where the replica stands.
    virtual void showPlaceIn(CollectivePlace& place) = 0;

    [[nodiscard]] virtual std::span<float> gradients() = 0;  ///< This replica's own.
    /// Where replicas share memory: of all of them, and each writes its shares only, between
    /// reduce() and publish().
    [[nodiscard]] virtual std::span<float> parameters() = 0;
    /// Valid in a share after its reduce().
    [[nodiscard]] virtual std::span<const float> sums() = 0;
    /// Optimiser state `index` (0 first, 1 second moments), complete on every host; a replica
    /// writes its shares only. Between finishStep() and the next post(0) it does not change.
    [[nodiscard]] virtual std::span<float> moments(int index) = 0;

    virtual void setVotes(const StepVotes& mine) = 0;
    /// Gradients of `bucket` are final, and its weights are not read again in this step. Buckets
    /// are posted in order 0, 1, …, each once a step.
    virtual void post(std::size_t bucket) = 0;
    /// Waits until this replica's share of the bucket is summed over all replicas.
    [[nodiscard]] virtual Result<Range> reduce(std::size_t bucket) = 0;
    /// Valid after reduce(0).
    [[nodiscard]] virtual const StepVotes& votes() const = 0;
    /// This replica's share of the bucket is updated in parameters().
    virtual void publish(std::size_t bucket) = 0;
    /// Waits for the others' shares. Must also be called when the step was not applied (notFinite),
    /// with publish() for every bucket, so that all stay in step.
    [[nodiscard]] virtual Result<void> finishStep() = 0;

    /// Replica 0's parameters and moments to all others. Replica 0 alone may write them beforehand,
    /// but not before an allGather() after which nobody reads them.
    [[nodiscard]] virtual Result<void> broadcastState() = 0;
    /// `mine` of every replica, in replica order, in `all` (mine.size() * replicaCount() words).
    [[nodiscard]] virtual Result<void> allGather(std::span<const std::uint64_t> mine,
                                                 std::span<std::uint64_t> all) = 0;
    /// Piece i of `mine`, one for each replica, to replica i; those for this one, in replica order,
    /// in `pieces`, which is as large.
    [[nodiscard]] virtual Result<void> allToAll(std::span<const std::uint64_t> mine,
                                                std::span<std::uint64_t> pieces) = 0;
    /// Makes every wait of every local replica return PeerLost. Any thread, any time, idempotent.
    virtual void abort() = 0;
};

/// The flat buffers: `parameters` floats, cut into buckets in the order in which backward finishes
/// them (the last layer first). The buckets cover 0..parameters without gaps.
struct BufferLayout {
    std::size_t parameters = 0;
    std::vector<Range> buckets;
    int moments = 2;  ///< Arrays of optimiser state: 0 SGD, 1 momentum, 2 Adam.
};

/// Cuts 0..parameters into buckets of at most `bucketBytes` from the end, whole layers together
/// where they fit; `layerBegins` are the layers' first elements, ascending.
[[nodiscard]] std::vector<Range> planBuckets(std::span<const std::size_t> layerBegins,
                                             std::size_t parameters,
                                             std::size_t bucketBytes = std::size_t{4} << 20);

}  // namespace lockstep::collective
