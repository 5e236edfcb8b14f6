// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/replica_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lockstep::launch {

bool ReplicaMemory::isUsed(const config::JobSpec& job, int workers) {
    return workers > 1 && job.cluster.transport != config::Transport::Gloo &&
           !job.launch.runsOwnProgram();
}

Result<void> ReplicaMemory::renew() {
    UniqueFd fresh(::memfd_create("lockstep-replicas", MFD_CLOEXEC));
    if (!fresh.valid()) return fail(ErrorCode::Io, "cannot create shared memory: " + errnoText());
    return replace(std::move(fresh));
}

Result<void> ReplicaMemory::borrow(const std::string& path) {
    UniqueFd fresh(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!fresh.valid())
        return fail(ErrorCode::PeerLost, "the memory that process 0's agent shares is gone");
    return replace(std::move(fresh));
}

Result<void> ReplicaMemory::replace(UniqueFd fresh) {
    if (!fd_.valid())
        fd_ = std::move(fresh);
    else if (::dup3(fresh.get(), fd_.get(), O_CLOEXEC) < 0)
        return fail(ErrorCode::Io, "cannot replace shared memory: " + errnoText());
    return {};
}

}  // namespace lockstep::launch
