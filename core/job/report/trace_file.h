// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep::telemetry {
struct TraceWindow;
}

namespace lockstep::job {

/// A timeline that was written, and what is not in it.
struct WrittenTrace {
    std::uint64_t steps = 0;  ///< Of replicas.
    std::uint64_t bytes = 0;
    std::vector<std::string> remarks;  ///< A sentence each.
    std::string missing;  ///< What of the journal cannot be read, in words; empty: nothing.
};

/// Called with the bytes that were written so far; false: it is given up.
using TraceWatch = std::function<bool(std::uint64_t bytes)>;

/// Writes the timeline of a run as a trace of Perfetto: the file is there whole or not at all, and
/// replaces what was there. Errors as telemetry::exportTrace(); BadInput where the file cannot be
/// made, Cancelled where it was given up.
[[nodiscard]] Result<WrittenTrace> writeTraceFile(const std::filesystem::path& runDir,
                                                  const telemetry::TraceWindow& window,
                                                  const std::filesystem::path& file,
                                                  const TraceWatch& watch = {});
/// Of the whole run.
[[nodiscard]] Result<WrittenTrace> writeTraceFile(const std::filesystem::path& runDir,
                                                  const std::filesystem::path& file,
                                                  const TraceWatch& watch = {});

/// The name that it is given unless told otherwise: "mnist-cnn-20261126-031000.pftrace".
[[nodiscard]] std::string traceFileName(const std::filesystem::path& runDir);

}  // namespace lockstep::job
