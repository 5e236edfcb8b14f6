// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/launch/process/child_process.h"

namespace lockstep::launch {

/// A running ssh without a terminal: bytes both ways, and what it says on standard error kept as
/// lines. It is in a session of its own, and ends by itself when its standard input is closed.
/// Used by one thread.
class SshProcess {
public:
    /// `environment`: NAME=value besides this process's own. Nothing secret anywhere.
    [[nodiscard]] static Result<std::unique_ptr<SshProcess>> start(
        const std::filesystem::path& program, std::vector<std::string> arguments,
        std::vector<std::string> environment);
    ~SshProcess();
    SshProcess(const SshProcess&) = delete;
    SshProcess& operator=(const SshProcess&) = delete;

    [[nodiscard]] pid_t pid() const { return child_->pid(); }
    /// Writes all of it while taking what comes; what was written is cut off from `bytes`. PeerLost
    /// when ssh has ended; Timeout; Cancelled.
    [[nodiscard]] Result<void> write(std::string_view& bytes, Nanos deadline,
                                     const std::stop_token& cancel = {});
    /// Takes what has come, waiting for something until `deadline`. False: nothing did.
    bool take(Nanos deadline);
    /// What came on standard output and was not consumed yet.
    [[nodiscard]] std::string& inbox() { return inbox_; }
    /// Nothing more will come on standard output.
    [[nodiscard]] bool hasEnded() const { return outputEnded_; }
    /// How ssh ended: waits for it, up to a few seconds, then ends it by force. Its last words are
    /// complete then.
    ExitStatus end();
    /// The last lines that ssh wrote to standard error, oldest first, without control characters.
    [[nodiscard]] const std::deque<std::string>& words() const { return words_; }
    /// Readable when `take` has something to take.
    [[nodiscard]] int fd() const { return poll_.get(); }
    /// Keeps `fd` readable, or not, for what the owner has not consumed yet.
    void holdReadable(bool readable);

private:
    SshProcess() = default;
    [[nodiscard]] Result<void> watch();
    bool wait(Nanos deadline, bool forWriting);
    bool readOutput();
    bool readErrors();

    std::unique_ptr<ChildProcess> child_;
    UniqueFd poll_;  ///< epoll: standard output, standard error, held_.
    UniqueFd held_;  ///< eventfd of holdReadable.
    bool isHeld_ = false;
    bool outputEnded_ = false;
    bool errorsEnded_ = false;
    std::string inbox_;
    std::string line_;  ///< Of standard error, unfinished.
    std::deque<std::string> words_;
};

}  // namespace lockstep::launch
