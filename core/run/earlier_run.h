// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep::run {

struct RunPaths;

/// What a folder holds of a run, put aside within it, as `earlier` (`earlier-2`, …), so that
/// another one can begin there at step 0. Nothing is deleted: it is a run's folder like any other.
class EarlierRun {
public:
    /// There is none.
    EarlierRun() = default;
    /// Of a folder that nobody writes to. BadInput where it cannot be moved; all is as it was after
    /// any error.
    [[nodiscard]] static Result<EarlierRun> putAside(const RunPaths& paths);

    /// Of its newest start; empty: there was none.
    [[nodiscard]] const std::string& runId() const { return runId_; }
    /// Where it lies now, a sentence; empty: there was none.
    [[nodiscard]] std::string note() const;
    /// The start that was to take its place came to nothing: what that has written goes.
    void putBack();

private:
    [[nodiscard]] Result<void> move(const std::vector<std::filesystem::path>& names);

    std::filesystem::path folder_;
    std::filesystem::path aside_;
    std::string runId_;
    std::vector<std::filesystem::path> names_;  ///< In the order in which they were moved.
};

}  // namespace lockstep::run
