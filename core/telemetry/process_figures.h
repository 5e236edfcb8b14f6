// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::telemetry {

/// Memory, processor time and threads of a process, from /proc. Used by one thread.
class ProcessProbe {
public:
    ProcessProbe() = default;  ///< Of this process.
    explicit ProcessProbe(pid_t pid) : place_("/proc/" + std::to_string(pid) + "/stat") {}

    /// The figures since the last call (since the first, for the first call: 0 %). `now` is
    /// monotonic. Io when /proc cannot be read.
    [[nodiscard]] Result<wire::ProcessFigures> sample(std::uint32_t processId, wire::Role role,
                                                      Nanos now);

private:
    std::string place_ = "/proc/self/stat";
    Nanos lastTime_{0};
    double lastCpuSeconds_ = -1;  // -1: no sample yet
};

}  // namespace lockstep::telemetry
