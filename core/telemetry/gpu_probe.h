// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::telemetry {

/// Load, memory, temperature, power, clocks and health of GPUs, as the driver's management library
/// (NVML) tells them: loaded at run time, through declarations of our own. Used by one thread. A
/// figure that a GPU does not have stays unset.
class GpuProbe {
public:
    /// `uuids` as the driver names them: "GPU-8d3e…". Unavailable: there is no NVML, or it does not
    /// start. NotFound: it does not know a GPU.
    [[nodiscard]] static Result<std::unique_ptr<GpuProbe>> open(
        const std::vector<std::string>& uuids, const std::string& library = "libnvidia-ml.so.1");
    virtual ~GpuProbe() = default;

    /// One for each GPU, in order. Some 1 ms.
    [[nodiscard]] virtual std::vector<wire::GpuFigures> sample() = 0;
};

/// NVML's reasons for clocks below what was asked for, in words: "power limit, hot". Empty for
/// none, and for those that are no trouble (idle, a setting of the user).
[[nodiscard]] std::string slowdownWords(std::uint64_t reasons);

}  // namespace lockstep::telemetry
