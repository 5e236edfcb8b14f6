// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/data/load_watch.h"
#include "core/job/fold/session.h"

namespace lockstep::job {

/// A few samples of a split, and the checkpoints that are asked about them.
struct AskedSamples {
    std::filesystem::path runDir{};
    std::string split{};                   ///< validation | test.
    std::vector<std::int64_t> steps{};     ///< Of the checkpoints, in the order of asking.
    std::vector<std::uint32_t> samples{};  ///< Their places in the split.
};

/// What one checkpoint says of them.
struct StepAnswers {
    std::int64_t step = 0;
    /// In the order of AskedSamples::samples, without pixels, and without those whose class does
    /// not count. NotFound where the checkpoint's files are gone, Corrupt where they are damaged,
    /// BadInput where it was trained on other data.
    Result<std::vector<EvaluationView::Sample>> answers{};
};
using HearStep = std::function<void(StepAnswers)>;

/// Reads the run's data once, and asks one checkpoint after the other; `hear` is called once for
/// each, on the calling thread, and `watch` hears of data that are read. A checkpoint that cannot
/// answer does not keep the others from it. BadInput where the run's data cannot be read, its task
/// is not classes, or a sample lies beyond the split; Cancelled once nobody waits.
[[nodiscard]] Result<void> askCheckpoints(const AskedSamples& asked, const HearStep& hear,
                                          const data::LoadWatch& watch);

}  // namespace lockstep::job
