// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/mutex.h"
#include "core/collective/nccl_loader.h"

namespace lockstep::collective {

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

    [[nodiscard]] int worldReplicas() const { return worldReplicas_; }
    [[nodiscard]] int device(std::size_t local) const { return devices_[local]; }
    [[nodiscard]] int localReplicas() const { return static_cast<int>(devices_.size()); }
    [[nodiscard]] Nanos timeout() const { return timeout_; }

    /// Runs `body` with the connection of a local replica, then waits while NCCL is still at work
    /// on it (connecting, for the first use of a size). The error of a dead group.
    [[nodiscard]] Result<void> call(std::size_t local, std::string_view attempt,
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
    [[nodiscard]] Result<ncclUniqueId> agreeOnId(const NcclOptions& options, Nanos deadline);
    [[nodiscard]] Result<void> startRanks(const NcclOptions& options, const ncclUniqueId& id);
    [[nodiscard]] Result<void> awaitRanks(Nanos deadline);
    void watch(const std::stop_token& stop);
    void kill(Error cause) LS_REQUIRES(mutex_);
    [[nodiscard]] std::vector<ncclComm_t> takeFailed();
    [[nodiscard]] Error failureOf(ncclResult_t code, std::string_view attempt) const;

    int worldReplicas_ = 1;
    std::vector<int> devices_;
    Nanos timeout_{0};
    mutable Mutex mutex_;
    std::vector<ncclComm_t> connections_ LS_GUARDED_BY(mutex_);
    bool aborted_ LS_GUARDED_BY(mutex_) = false;
    Error cause_ LS_GUARDED_BY(mutex_);
    std::atomic<std::size_t> arrivals_{0};  ///< At meet().
    std::atomic<bool> failed_{false};       ///< cause_ is set.
    std::atomic<bool> abortAsked_{false};
    std::jthread watch_;
};

}  // namespace lockstep::collective
