// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/launch/slurm/slurm_request.h"
#include "core/launch/slurm/slurm_state.h"

namespace lockstep::launch {

/// How far a start by Slurm has come.
enum class SlurmPhase : std::uint8_t {
    Asking,   ///< Slurm has not taken it yet.
    Waiting,  ///< In the queue, for the first time or again.
    Running,  ///< Its tasks run, or end.
    Over,
};

/// A job's tasks as Slurm starts them. Nothing here blocks longer than it is told to; Slurm is
/// asked at a rate that a cluster of many users bears. Used by one thread. Destruction leaves the
/// job alone.
class SlurmStart {
public:
    virtual ~SlurmStart() = default;

    /// Goes on with what is to be done or asked, waiting up to `timeout` for an answer.
    virtual void poll(Nanos timeout) = 0;
    [[nodiscard]] virtual SlurmPhase phase() const = 0;
    /// What is to be told of it, in words.
    [[nodiscard]] virtual std::string sentence() const = 0;
    /// Where the run's journal ended before this start; what comes behind is its.
    [[nodiscard]] virtual std::uint64_t journalEnd() const = 0;
    /// Once it is over: how, as far as Slurm and the tasks' output tell.
    [[nodiscard]] virtual SlurmEnd end() const = 0;

    /// Asks the tasks to stop with a checkpoint; takes a job that still waits out of the queue.
    virtual void requestStop() = 0;
    /// Ends the tasks now.
    virtual void kill() = 0;
    /// Asks Slurm soon: something has happened.
    virtual void lookSoon() = 0;
    /// Cancels what is not over; blocks for seconds. For a launcher that ends with its job.
    virtual void cancelNow() = 0;
};

/// How long to leave Slurm alone between two questions, for a job that has waited or run so long.
[[nodiscard]] Nanos lookInterval(SlurmPhase phase, Nanos inPhase);

/// Submits the job with sbatch, from the first poll on. Its folder is written already.
[[nodiscard]] std::unique_ptr<SlurmStart> submitToSlurm(SlurmRequest request);
/// Goes on with a job that was submitted before.
[[nodiscard]] std::unique_ptr<SlurmStart> followSubmission(const SlurmPlaces& places,
                                                           const Submission& submission);
/// Starts the tasks with srun in the allocation that this process is in.
[[nodiscard]] std::unique_ptr<SlurmStart> startInAllocation(SlurmRequest request);
/// Whether this process is in an allocation of Slurm's.
[[nodiscard]] bool isInAllocation();
/// Whether it is in that of this job: it must not wait for the job's end then.
[[nodiscard]] bool isInAllocation(std::int64_t jobId);

}  // namespace lockstep::launch
