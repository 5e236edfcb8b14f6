// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/collective/communicator.h"
#include "core/collective/process_watch.h"
#include "core/collective/wait.h"

namespace lockstep::collective {

/// What one replica tells the others of its group. Every counter only grows, and has one writer.
struct ReplicaRecord {
    alignas(64) std::atomic<std::uint64_t> posted;   ///< Buckets whose gradients are final.
    alignas(64) std::atomic<std::uint64_t> summed;   ///< Buckets whose share of the host's sum is.
    alignas(64) std::atomic<std::uint64_t> updated;  ///< Steps whose shares are in the weights.
    alignas(64) std::atomic<std::uint64_t> arrived;  ///< Points of meeting (broadcast, gather).
    alignas(64) StepVotes votes;
};

/// Why a group is dead. The first failure is kept and told to all of the group.
struct GroupFailure {
    enum class Kind : std::uint8_t {
        None,
        Aborted,        ///< abort() was called.
        ProcessEnded,   ///< `culprit` is the process.
        ReplicaSilent,  ///< `culprit` is the replica that did not come in time.
        ModelDiffers,   ///< `culprit` is the process with another model.
        PeerLost,       ///< The connection to the group whose first replica is `culprit` broke.
        PeerSilent,     ///< That group did not answer in time.
    };
    Kind kind = Kind::None;
    int culprit = 0;

    [[nodiscard]] Error toError() const;
};

/// What a segment is made for. All members must be equal in all processes of the group, except
/// `fd` and `thisProcess`.
struct SegmentShape {
    std::size_t parameters = 0;
    int moments = 0;
    std::vector<int> replicas;   ///< Global indices of the group's replicas, in order.
    std::vector<int> processes;  ///< Ids of the processes that hold them, ascending.
    int worldReplicas = 1;
    bool exchanges = false;         ///< Another group's gradients are added through the leader.
    std::uint64_t fingerprint = 1;  ///< Of the job as this process understands it; not 0.
    int thisProcess = 0;            ///< Process id.
    std::vector<int> processNames;  ///< What the job calls each of `processes`.
    int fd = -1;                    ///< A memfd, or -1: private memory of one process.
    std::size_t fdOffset = 0;       ///< Where in it: a multiple of a page.
    /// Words of one replica that one round of allGather carries. The default: the sums of a
    /// normalisation of a thousand channels.
    std::size_t gatherWords = 2048;
};

/// The memory of a group of replicas, which work in it as threads of one process or in several
/// processes alike. Zero bytes are its valid first state, so nobody has to come first.
class HostSegment {
public:
    /// Maps the segment and waits until every process of the group has. BadInput: another process
    /// has another fingerprint. Unavailable: no memory. Timeout, PeerLost: not all came.
    [[nodiscard]] static Result<std::unique_ptr<HostSegment>> open(const SegmentShape& shape,
                                                                   Nanos deadline);
    /// Of such a segment: a multiple of a page.
    [[nodiscard]] static std::size_t bytesOf(const SegmentShape& shape);
    ~HostSegment();
    HostSegment(const HostSegment&) = delete;
    HostSegment& operator=(const HostSegment&) = delete;

    // `index` counts the group's replicas in order.
    [[nodiscard]] ReplicaRecord& record(int index) { return records_[index]; }
    [[nodiscard]] std::span<float> gradients(int index) { return array(gradients_ + at(index)); }
    /// Sums over all replicas of the job; the gradients themselves when there is one replica.
    [[nodiscard]] std::span<float> sums() { return array(sums_); }
    /// Sums over the group, for the other groups.
    [[nodiscard]] std::span<float> groupSums() { return array(groupSums_); }
    /// The weights of all replicas of the group, of which each writes its shares.
    [[nodiscard]] std::span<float> parameters() { return array(weights_); }
    [[nodiscard]] std::span<float> moments(int index) { return array(moments_ + at(index)); }
    /// As many words of every replica of the job.
    [[nodiscard]] std::size_t gatherCapacity() const { return gatherCapacity_; }
    [[nodiscard]] std::span<std::uint64_t> gatherWords(int worldReplica);

    // Written by the leader alone: buckets exchanged with the other groups and the step's votes,
    // meetings relayed to them.
    [[nodiscard]] std::atomic<std::uint64_t>& exchanged();
    [[nodiscard]] StepVotes& totalVotes();
    [[nodiscard]] std::atomic<std::uint64_t>& relayed();

    [[nodiscard]] Doorbell& bell();
    /// Stores and rings.
    void announce(std::atomic<std::uint64_t>& counter, std::uint64_t value);

    /// To be called when a counter that another replica announces has been reached.
    void seen() const;

    /// Kills the group, unless it is dead already; wakes all. Any thread.
    void fail(GroupFailure failure);
    [[nodiscard]] std::optional<GroupFailure> failure() const;
    /// True once the process is known to have ended; a system call.
    [[nodiscard]] bool processEnded(int process) const { return watch_.ended(process); }

private:
    struct Header;

    HostSegment(const SegmentShape& shape, std::byte* memory, std::size_t bytes);
    [[nodiscard]] Result<void> enter(const SegmentShape& shape);
    [[nodiscard]] Result<void> awaitOthers(const SegmentShape& shape, Nanos deadline);
    [[nodiscard]] std::span<float> array(std::size_t position) const {
        return {reinterpret_cast<float*>(memory_ + arrays_ + position * arrayBytes_), parameters_};
    }
    [[nodiscard]] static std::size_t at(int index) { return static_cast<std::size_t>(index); }

    std::byte* memory_;
    std::size_t bytes_;
    std::size_t parameters_;
    void* raceDetectorKey_ = nullptr;
    Header* header_;
    ReplicaRecord* records_;
    std::uint64_t* gather_;
    std::size_t gatherCapacity_ = 0;
    std::size_t arrays_;      // Offset of the first array of floats.
    std::size_t arrayBytes_;  // From one array to the next.
    // Positions of the arrays.
    std::size_t gradients_ = 0;
    std::size_t sums_ = 0;
    std::size_t groupSums_ = 0;
    std::size_t weights_ = 0;
    std::size_t moments_ = 0;
    ProcessWatch watch_;
};

}  // namespace lockstep::collective
