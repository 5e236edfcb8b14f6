// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <memory>
#include <utility>

#include "core/base/file.h"
#include "core/base/result.h"

namespace lockstep::launch {

inline constexpr const char* kGuardName = "lockstep-guard";

/// Ends this process's group by force when this process dies without having said goodbye: what a
/// user's program has started dies with it then, also when nobody else is left to end it (the
/// kernel ends a dead process's own children at most, and only those that asked for it). A small
/// process that waits for the end of a pipe. Destruction is the goodbye.
class GroupGuard {
public:
    /// Nothing is guarded, and null comes back, where this process does not lead its group.
    [[nodiscard]] static Result<std::unique_ptr<GroupGuard>> start();
    ~GroupGuard();
    GroupGuard(const GroupGuard&) = delete;
    GroupGuard& operator=(const GroupGuard&) = delete;

private:
    GroupGuard(pid_t pid, UniqueFd line) : pid_(pid), line_(std::move(line)) {}
    pid_t pid_;
    UniqueFd line_;
};

}  // namespace lockstep::launch
