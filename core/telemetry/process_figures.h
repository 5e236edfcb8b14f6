// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/wire/messages.pb.h"

namespace lockstep::telemetry {

/// Memory, processor time and threads of this process, from /proc/self. Used by one thread.
class ProcessProbe {
public:
    /// The figures since the last call (since the first, for the first call: 0 %). `now` is
    /// monotonic. Io when /proc cannot be read.
    [[nodiscard]] Result<wire::ProcessFigures> sample(std::uint32_t processId, wire::Role role,
                                                      Nanos now);

private:
    Nanos lastTime_{0};
    double lastCpuSeconds_ = -1;  // -1: no sample yet
};

}  // namespace lockstep::telemetry
