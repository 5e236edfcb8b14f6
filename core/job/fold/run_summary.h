// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/run/run_files.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::job {

struct SummaryFile {
    std::string text;     ///< Empty where there is none, or none that can be read.
    std::string problem;  ///< Why it cannot be read though it is there, in words; empty: it can.
};
[[nodiscard]] SummaryFile readSummaryFile(const run::RunPaths& paths);

/// Where lists were left out of the summary that a journal has of this end, and the run's folder
/// has the whole of the same one, puts that in its place.
void fillSummary(wire::RunEnd& end, const run::RunPaths& paths);

}  // namespace lockstep::job
