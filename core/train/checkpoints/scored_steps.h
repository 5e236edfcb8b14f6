// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>

namespace lockstep::train {

/// Which checkpoints of a run have been scored already.
struct ScoredSteps {
    std::set<std::int64_t> checkpoints;  ///< By the evaluator, as they appeared.
    std::set<std::int64_t> tests;        ///< On the test data.
};

/// What the run's journal holds of the timeline that goes on from `firstStep`: scores of steps that
/// were trained again since then, or will be, do not count. Nothing when it cannot be read.
[[nodiscard]] ScoredSteps readScoredSteps(const std::filesystem::path& journal,
                                          std::int64_t firstStep);

}  // namespace lockstep::train
