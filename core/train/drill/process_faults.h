// SPDX-License-Identifier: Apache-2.0
// Faults that a process makes in itself, for a drill. None needs a privilege.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace lockstep::train {

/// Ends this process by SIGKILL.
[[noreturn]] void killThisProcess();

/// Stops this process (SIGSTOP); after `seconds` the kernel lets it go on, 0: somebody else must.
/// Gives how long it stood still.
[[nodiscard]] Result<Nanos> stopThisProcess(double seconds);

/// What a torn checkpoint lacks: the second half of its largest file.
struct Tear {
    std::filesystem::path file;
    std::uintmax_t bytes = 0;  ///< Of the whole file.
};

/// What there is to tear of the checkpoint below `checkpoints` that a resume would take. NotFound
/// where fewer than two are committed there: nothing would be left to go on from.
[[nodiscard]] Result<Tear> findTear(const std::filesystem::path& checkpoints);
/// Waits until no checkpoint is being written below `checkpoints`: it was committed, or failed.
/// Unavailable where one still is after `patience`.
[[nodiscard]] Result<void> waitForCommits(const std::filesystem::path& checkpoints, Nanos patience);
/// Cuts the file to half its length.
[[nodiscard]] Result<void> makeTear(const Tear& tear);

/// Shuts down this process's TCP connections but those to `coordinatorPort`, and gives how many
/// those were.
[[nodiscard]] Result<int> cutConnections(std::uint16_t coordinatorPort);

/// From now on no file that this process writes grows (RLIMIT_FSIZE); undone by allowFilesToGrow().
[[nodiscard]] Result<void> keepFilesFromGrowing();
void allowFilesToGrow();

}  // namespace lockstep::train
