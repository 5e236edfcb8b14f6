// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "core/base/file.h"

namespace lockstep::collective {

/// Knows when other processes of this host have ended, whatever their parent does about it.
class ProcessWatch {
public:
    /// Watches the live process `pid` under the number `process`. Where the kernel does not allow
    /// it, the process counts as running, and its silence is found by a timeout only.
    void add(int process, int pid);
    /// Any thread, after the last add().
    [[nodiscard]] bool ended(int process) const;

private:
    std::map<int, UniqueFd> handles_;
};

}  // namespace lockstep::collective
