// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/mutex.h"
#include "core/collective/nccl_loader.h"

namespace lockstep::collective {

/// Whom a connection joins: all replicas, or those of a mesh's column; those of its row.
enum class NcclAxis : std::uint8_t { Batch, Model };

/// NCCL's connections of one process, and the thread that watches them. NCCL must not be in a
/// connection on one thread while another aborts it, so all its calls go through call(); they
/// return at once, because the connections are non-blocking.
class NcclGroup {
public:
    /// Joins all replicas of the job; see makeNcclReplicas().
    [[nodiscard]] static Result<std::shared_ptr<NcclGroup>> join(const NcclOptions& options);
    ~NcclGroup();
    NcclGroup(const NcclGroup&) = delete;
    NcclGroup& operator=(const NcclGroup&) = delete;

    [[nodiscard]] int replicasAlong(NcclAxis axis) const {
        return axis == NcclAxis::Batch ? grid_.rows : grid_.members;
    }
    /// What call() knows a local replica's connection as.
    [[nodiscard]] std::size_t connectionOf(std::size_t local, NcclAxis axis) const {
        return axis == NcclAxis::Batch ? local : devices_.size() + local;
    }
    [[nodiscard]] int device(std::size_t local) const { return devices_[local]; }
    [[nodiscard]] int localReplicas() const { return static_cast<int>(devices_.size()); }
    [[nodiscard]] Nanos timeout() const { return timeout_; }

    /// Runs `body` with a connection, then waits while NCCL is still at work on it (connecting, for
    /// the first use of a size). The error of a dead group.
    [[nodiscard]] Result<void> call(std::size_t connection, std::string_view attempt,
                                    const std::function<ncclResult_t(ncclComm_t)>& body);
    /// Waits until every local replica has come here as often. The error of a dead group, which
    /// one that none came to in time is.
    [[nodiscard]] Result<void> meet();
    /// The group's first failure. Does not wait; any thread.
    [[nodiscard]] Result<void> healthy() const;
    /// Kills the group: the watch aborts the connections, which ends their kernels. Any thread.
    void abort();

private:
    NcclGroup() = default;
    [[nodiscard]] Result<void> open(const NcclOptions& options);
    /// The ranks of this process in one of NCCL's groups, and where the group's id is told.
    struct Ranks {
        struct Own {
            std::size_t local = 0;
            int rank = 0;
        };
        Topology topology;  ///< Of the processes that hold replicas of the group.
        NcclAxis axis = NcclAxis::Batch;
        std::string key;
        std::vector<Own> own;
    };
    [[nodiscard]] static std::vector<Ranks> ranksOf(const NcclOptions& options);
    [[nodiscard]] Result<void> joinRanks(const Ranks& ranks, Store* store, Nanos deadline);
    [[nodiscard]] Result<ncclUniqueId> agreeOnId(const Ranks& ranks, Store* store, Nanos deadline);
    [[nodiscard]] Result<void> startRanks(const Ranks& ranks, const ncclUniqueId& id);
    [[nodiscard]] Result<void> awaitRanks(const Ranks& ranks, Nanos deadline);
    void watch(const std::stop_token& stop);
    void kill(Error cause) LS_REQUIRES(mutex_);
    [[nodiscard]] std::vector<ncclComm_t> takeFailed();
    [[nodiscard]] Error failureOf(ncclResult_t code, std::string_view attempt) const;

    MeshGrid grid_;
    std::vector<int> devices_;
    Nanos timeout_{0};
    mutable Mutex mutex_;
    std::vector<ncclComm_t> connections_ LS_GUARDED_BY(mutex_);  ///< See connectionOf().
    bool aborted_ LS_GUARDED_BY(mutex_) = false;
    Error cause_ LS_GUARDED_BY(mutex_);
    std::atomic<std::size_t> arrivals_{0};  ///< At meet().
    std::atomic<bool> failed_{false};       ///< cause_ is set.
    std::atomic<bool> abortAsked_{false};
    std::jthread watch_;
};

}  // namespace lockstep::collective
