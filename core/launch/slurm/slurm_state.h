// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::launch {

/// What Slurm says of a job.
struct SlurmState {
    std::string state;      ///< PENDING, RUNNING, … as Slurm writes it.
    std::string reason;     ///< Why it waits, in Slurm's word; empty: none.
    std::string startTime;  ///< When it began or is expected to, local; empty: unknown.
    std::string partition;
    std::string nodes;   ///< "n[1-3]"; empty: none yet.
    int exitStatus = 0;  ///< Of the batch script.
    int signal = 0;      ///< That killed it; 0: none.
    int restarts = 0;    ///< How often it was put back into the queue.
};

/// Of `scontrol --oneliner show job`; nothing when the text is something else.
[[nodiscard]] std::optional<SlurmState> parseShownJob(std::string_view text);
/// Of `sacct --parsable2 --noheader --allocations --format=State,ExitCode,NodeList,Partition`.
[[nodiscard]] std::optional<SlurmState> parseAccountedJob(std::string_view text);

[[nodiscard]] bool isWaiting(const SlurmState& state);
[[nodiscard]] bool isOver(const SlurmState& state);

/// "waiting in Slurm's queue as job 12, partition main: not enough free nodes (Resources), expected
/// to start at …" or "Slurm job 12 runs on n[1-3]".
[[nodiscard]] std::string wordsOf(std::int64_t jobId, const SlurmState& state);

/// How a start ended when its run cannot say it.
struct SlurmEnd {
    int exitStatus = 1;  ///< 1 failed, 2 bad input, 3 stopped.
    std::string error;
    std::string remedy;
};

/// Why a job is over that left no end in its journal. `output`: what its tasks wrote; its first
/// `error: ` line and the lines below it say more than Slurm can.
[[nodiscard]] SlurmEnd endOf(std::int64_t jobId, const SlurmState& state, std::string_view output);

}  // namespace lockstep::launch
