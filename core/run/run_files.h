// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep::run {

/// The names inside a run folder. Others read them: they are a contract.
struct RunPaths {
    std::filesystem::path folder;

    [[nodiscard]] std::filesystem::path job() const { return folder / "job.toml"; }
    [[nodiscard]] std::filesystem::path summary() const { return folder / "summary.json"; }
    [[nodiscard]] std::filesystem::path journal() const { return folder / "journal"; }
    [[nodiscard]] std::filesystem::path events() const { return folder / "events"; }
    [[nodiscard]] std::filesystem::path epochs() const { return folder / "epochs.csv"; }
    [[nodiscard]] std::filesystem::path logs() const { return folder / "logs"; }
    [[nodiscard]] std::filesystem::path checkpoints() const { return folder / "checkpoints"; }
    [[nodiscard]] std::filesystem::path processes() const { return folder / "processes.json"; }
    [[nodiscard]] std::filesystem::path lock() const { return folder / "run.lock"; }
    /// There while a user ends the run by force: its agent's death is what was asked for.
    [[nodiscard]] std::filesystem::path forced() const { return folder / "ended-by-force"; }
    /// There while all of it is a copy of a run on another host, which alone may change it: until a
    /// run goes on from it here.
    [[nodiscard]] std::filesystem::path copyMark() const { return folder / "copy-of"; }
    /// Where a monitor finds the running job: run id, socket, key file.
    [[nodiscard]] std::filesystem::path contact() const { return folder / "contact.json"; }
};

/// A process of a run, as processes.json lists it.
struct ProcessEntry {
    std::string role;  ///< agent | worker | evaluator
    int processId = 0;
    std::string host;
    pid_t pid = 0;
    std::uint64_t startTime = 0;
};

/// This process's own, as it runs now.
[[nodiscard]] ProcessEntry entryOfThisProcess(const std::string& role);

/// How to reach a running job from this machine. The key itself lies in `keyFile` (0600) in the
/// user's runtime folder, never in the run folder, which others may read.
struct Contact {
    std::string runId;
    std::string endpoint;  ///< ipc://…
    std::filesystem::path keyFile;
    /// Of an agent that goes on with a run: where its records begin. What a former one had sent
    /// from there on never came to the disk.
    std::uint64_t journalStart = 0;
};

[[nodiscard]] Result<void> writeContact(const RunPaths& paths, const Contact& contact);
[[nodiscard]] Result<Contact> readContact(const RunPaths& paths);
void removeContact(const RunPaths& paths);

[[nodiscard]] Result<void> writeProcesses(const RunPaths& paths,
                                          const std::vector<ProcessEntry>& processes);
[[nodiscard]] Result<std::vector<ProcessEntry>> readProcesses(const RunPaths& paths);
}  // namespace lockstep::run
