// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lockstep::run {

struct RunPaths;

/// What a run's folder held before another start of the run, checkpoints aside, so that a start
/// that came to nothing leaves it as it was.
class FormerRun {
public:
    FormerRun() = default;
    /// Reads what is there now.
    explicit FormerRun(const RunPaths& paths);

    /// job.toml and summary.json; empty where there was none.
    [[nodiscard]] std::string job() const;
    [[nodiscard]] std::string summary() const;
    /// The id of the start before.
    [[nodiscard]] const std::string& runId() const { return runId_; }

    /// Small files as they were, what has grown cut back, what is new removed. What cannot be
    /// written now could not be written by the start either.
    void putBack() const;
    /// Only job.toml and summary.json, while something else of the start may still be written.
    void putBackFacts() const;

private:
    [[nodiscard]] std::string contentOf(const std::filesystem::path& path) const;

    std::filesystem::path folder_;
    std::string runId_;
    std::vector<std::filesystem::path> absent_;  ///< Of what is written anew, the missing.
    std::map<std::filesystem::path, std::string> contents_;  ///< Of the rest, what is short.
    std::map<std::filesystem::path, std::uintmax_t> sizes_;  ///< Of what is appended to.
};

}  // namespace lockstep::run
