// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/result.h"

namespace lockstep::launch {

/// How a process ended.
struct ExitStatus {
    bool signalled = false;
    int code = 0;  ///< Exit status, or the signal's number.

    /// "exited with status 1", "was killed by signal 9 (SIGKILL)".
    [[nodiscard]] std::string words() const;
    /// By a signal that a fault of its own has raised, as far as one can tell.
    [[nodiscard]] bool hasCrashed() const;
};

struct ChildOptions {
    std::filesystem::path program;
    std::vector<std::string> arguments{};  ///< Without the program's name. Nothing secret.
    /// NAME=value: besides this process's own, and before them where the name is equal.
    std::vector<std::string> environment{};
    std::vector<int> inheritedFds{};  ///< Stay open in the child under the same numbers.
    int niceness = 0;
    bool ownSession = false;      ///< setsid: survives the terminal and its signals.
    bool dieWithParent = true;    ///< SIGKILL when the thread that started it ends.
    bool captureOutput = true;    ///< Standard output and error through one pipe.
    bool separateOutput = false;  ///< Standard output alone is piped; standard error is inherited,
    bool separateErrors = false;  ///< unless this asks for a pipe of its own (errorFd).
    bool ownGroup = true;         ///< False: stays in the group of whoever started it.
    std::filesystem::path folder{};  ///< Working folder; empty: the parent's.
};

/// A child in a process group of its own (unless it is to stay in the parent's), with a pipe to its
/// standard input. Started with a clean signal mask and none of the parent's descriptors but those
/// named. Destruction kills the group and reaps the child unless it was released.
class ChildProcess {
public:
    [[nodiscard]] static Result<std::unique_ptr<ChildProcess>> start(const ChildOptions& options);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    [[nodiscard]] pid_t pid() const { return pid_; }
    /// Field 22 of /proc/PID/stat: with the pid it names this process for ever.
    [[nodiscard]] std::uint64_t startTime() const { return startTime_; }
    [[nodiscard]] int inputFd() const { return input_.get(); }
    [[nodiscard]] int outputFd() const { return output_.get(); }
    [[nodiscard]] int errorFd() const { return errors_.get(); }
    /// Readable once the process has ended.
    [[nodiscard]] int pidFd() const { return pidFd_.get(); }
    void closeInput() { input_.reset(); }

    /// How it ended, once it has; reaps it, and kills what is left of its group. Waits up to
    /// `timeout`.
    [[nodiscard]] std::optional<ExitStatus> wait(Nanos timeout);
    /// Sends the signal to the whole group (to the child alone where that is the parent's). No
    /// effect after the end was seen.
    void signalGroup(int signal) const;
    /// SIGTERM, up to `grace`, SIGKILL, reaped.
    ExitStatus terminate(Nanos grace);
    /// Lets go of the child: it lives on, nobody waits for it.
    void release() { released_ = true; }

private:
    ChildProcess() = default;
    [[nodiscard]] tl::unexpected<Error> giveUp(const std::string& why);

    pid_t pid_ = -1;
    std::uint64_t startTime_ = 0;
    UniqueFd input_;
    UniqueFd output_;
    UniqueFd errors_;
    UniqueFd pidFd_;
    std::optional<ExitStatus> status_;
    bool released_ = false;
    bool ownGroup_ = true;
};

/// A program beside the running one: `lockstep-worker` next to `lockstepctl`.
[[nodiscard]] std::filesystem::path programBesideThis(const std::string& name);

}  // namespace lockstep::launch
