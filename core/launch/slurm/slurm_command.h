// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/launch/process/child_process.h"

namespace lockstep::launch {

/// What one of Slurm's programs has said, on both of its outputs.
struct SlurmAnswer {
    int status = 0;  ///< 0: done.
    std::string text;

    /// Slurm's own words in one line: "Batch job submission failed: Invalid account …".
    [[nodiscard]] std::string words() const;
};

/// One of Slurm's programs (sbatch, scontrol, …) at work, started without a shell and ended by
/// force when it takes too long. Used by one thread.
class SlurmCommand {
public:
    /// NotFound, with a way out, when the program is not on the PATH.
    [[nodiscard]] static Result<SlurmCommand> start(const std::string& program,
                                                    const std::vector<std::string>& arguments,
                                                    Nanos timeLimit);

    /// Its answer once it has ended, waiting up to `timeout`; nothing before that. Timeout when
    /// its time limit has passed.
    [[nodiscard]] std::optional<Result<SlurmAnswer>> poll(Nanos timeout);
    /// Its answer; blocks for up to its time limit.
    [[nodiscard]] Result<SlurmAnswer> wait();

private:
    SlurmCommand(std::string name, std::unique_ptr<ChildProcess> process, Nanos deadline)
        : name_(std::move(name)), process_(std::move(process)), deadline_(deadline) {}
    bool readMore(Nanos timeout);

    std::string name_;
    std::unique_ptr<ChildProcess> process_;
    Nanos deadline_;
    std::string text_;
    bool isDrained_ = false;
};

}  // namespace lockstep::launch
