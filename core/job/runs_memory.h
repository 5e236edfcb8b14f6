// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/job/fold/session.h"

namespace lockstep::job {

/// What earlier listings have read of runs, so that a listing reads only what has changed since.
/// Nothing is listed for being remembered: a run is there when its folder is. May be asked by
/// several threads at once.
class RunsMemory {
public:
    RunsMemory() = default;
    RunsMemory(const RunsMemory&) = delete;
    RunsMemory& operator=(const RunsMemory&) = delete;
    virtual ~RunsMemory() = default;

    /// What was kept of a run whose files had this stamp. Null: read them.
    [[nodiscard]] virtual std::shared_ptr<const RunEntry> find(const std::filesystem::path& runDir,
                                                               const std::string& stamp) = 0;
    virtual void keep(std::shared_ptr<const RunEntry> run, const std::string& stamp) = 0;
    /// A listing of all runs right below `folder` is over: no other one is there.
    virtual void finish(const std::filesystem::path& folder,
                        const std::set<std::filesystem::path>& runs) = 0;
};

/// What a listing has cost.
struct ListingCost {
    int runs = 0;
    int read = 0;  ///< Of them, those whose files were read; of the others the disk said no change.
};

/// As listRuns() of session.h, with what `memory` knows.
[[nodiscard]] std::vector<RunEntry> listRuns(const std::filesystem::path& runsFolder,
                                             RunsMemory& memory, ListingCost* cost = nullptr);

/// Sizes and times of all files of a run that its entry is made of; empty: it is no run. Reads no
/// file.
[[nodiscard]] std::string stampOf(const std::filesystem::path& runDir);

/// An entry as a text, and back: whole, or nullopt for a text that this version has not written.
[[nodiscard]] std::string entryText(const RunEntry& run);
[[nodiscard]] std::optional<RunEntry> entryOf(const std::string& text);

}  // namespace lockstep::job
