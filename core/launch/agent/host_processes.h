// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/launch/process/child_process.h"
#include "core/launch/process/hold_watch.h"
#include "core/launch/process/oom_kills.h"
#include "core/launch/process/output_log.h"
#include "core/launch/process/thread_watch.h"
#include "core/run/run_files.h"
#include "core/wire/messages/launch.pb.h"
#include "core/wire/messages/member.pb.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::launch {

/// The workers and the evaluator of one generation on this host. One thread.
class HostProcesses {
public:
    struct Callbacks {
        std::function<void(const wire::LogLine&)> onLine;
        std::function<void(const wire::ProcessExit&)> onExit;
        std::function<void(const wire::ProcessHeld&)> onHeld{};  ///< When that has changed.
        std::function<void(const wire::Notice&)> onNotice{};
    };

    /// `mostStopped`: whoever has been stopped (SIGSTOP, a debugger) for longer is killed: nobody
    /// counts on it any more. 0: nobody is.
    HostProcesses(std::filesystem::path workerProgram, run::RunPaths paths, Callbacks callbacks,
                  Nanos mostStopped = {})
        : workerProgram_(std::move(workerProgram)),
          paths_(std::move(paths)),
          callbacks_(std::move(callbacks)),
          mostStopped_(mostStopped) {}
    ~HostProcesses();
    HostProcesses(const HostProcesses&) = delete;
    HostProcesses& operator=(const HostProcesses&) = delete;

    /// Starts one process and hands it its configuration on standard input, and the shared memory
    /// that it names under the same number.
    [[nodiscard]] Result<void> start(const wire::WorkerConfig& config);

    /// Waits up to `timeout` for output, ends, or `wakeFd` to become readable (-1: none), and deals
    /// with what there is. True when `wakeFd` is readable or closed.
    bool poll(Nanos timeout, int wakeFd);

    /// Ends all that still run: up to `patience` for those that end by themselves and still have
    /// samples to send, SIGTERM to each group of a user's program, up to `grace` together, then
    /// SIGKILL.
    void terminate(Nanos patience, Nanos grace);

    [[nodiscard]] bool anyRunning() const;
    [[nodiscard]] std::vector<run::ProcessEntry> entries() const;

private:
    struct Entry {
        wire::Role role;
        std::uint32_t processId;
        bool ownProgram;  ///< Of the job: launch.command.
        std::unique_ptr<ChildProcess> process;
        OutputLog log;
        HoldWatch holdWatch;
        ThreadWatch threadWatch;
        wire::Hold hold = wire::HOLD_NONE;   ///< As it was told.
        std::optional<Nanos> killedAfter{};  ///< Stopped for so long: by this, for that.
        bool isToldToEnd = false;            ///< By terminate().
        bool outputOpen = true;
        bool ended = false;
    };

    void waitEnds(Nanos patience);
    void readOutput(Entry& entry);
    void reap(Entry& entry);
    void lookAtHolds(Nanos now);
    void tellHold(Entry& entry, wire::Hold hold);
    void tellThreads(Entry& entry, Nanos now);
    void endStopped(Entry& entry) const;

    std::filesystem::path workerProgram_;
    run::RunPaths paths_;
    Callbacks callbacks_;
    const Nanos mostStopped_;
    std::vector<std::unique_ptr<Entry>> entries_;
    OomKills oomKills_;
    Nanos nextLookAtHolds_{};
    std::vector<std::filesystem::path> reportFolders_;  ///< Made for programs; gone with this.
};

}  // namespace lockstep::launch
