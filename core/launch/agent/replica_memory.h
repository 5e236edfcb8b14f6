// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/config/job/job_spec.h"

namespace lockstep::launch {

/// The memory that the replicas of a host share, anew for each generation and always under the same
/// number. It has no name, so nothing is left behind by a crash.
class ReplicaMemory {
public:
    /// Whether `workers` processes of the job use one on a host.
    [[nodiscard]] static bool isUsed(const config::JobSpec& job, int workers);

    [[nodiscard]] Result<void> renew();
    /// That of another agent of this host: `path` lies below /proc.
    [[nodiscard]] Result<void> borrow(const std::string& path);

    [[nodiscard]] int fd() const { return fd_.get(); }  ///< -1: there is none.

private:
    [[nodiscard]] Result<void> replace(UniqueFd fresh);

    UniqueFd fd_;
};

}  // namespace lockstep::launch
