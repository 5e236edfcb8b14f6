// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint_copies.h"
#include "core/coordination/client/client.h"
#include "core/run/run_files.h"
#include "core/run/run_mirror.h"

namespace lockstep::launch {

/// Keeps a copy of a run on a host that does not see the run's folder: in the folder that stands
/// for it there, as a run's folder is, so that the run can be gone on with from it; once it was,
/// the folder is not touched any more. A thread of its own, "copies", follows the journal and
/// fetches each newest checkpoint over the agent's connection to the coordinator, one piece at a
/// time; what becomes of each is a record of the journal. It competes with no step: it runs where
/// the processors have nothing better to do.
class CopyKeeper {
public:
    struct Options {
        run::RunPaths places;  ///< The folder of the copy; it exists.
        std::string runId;
        std::string host;  ///< As people know this host.
        std::string jobToml;
        std::uint32_t agentId = 0;
        int keep = 1;  ///< checkpoint.keep
    };
    /// `client` has joined, and outlives this, which alone asks it questions.
    CopyKeeper(Options options, coordination::Client& client);
    ~CopyKeeper();
    CopyKeeper(const CopyKeeper&) = delete;
    CopyKeeper& operator=(const CopyKeeper&) = delete;

    /// The run has ended: its summary comes into the copy, too.
    void finish(const wire::RunEnd& end);

private:
    void endCopying();
    void run(const std::stop_token& stop);
    [[nodiscard]] Result<void> takeFolder();
    [[nodiscard]] Result<void> checkIsCopy() const;
    void report(const checkpoint::CopyReport& report);
    [[nodiscard]] Result<void> pullJournal(const std::stop_token& stop);
    void tellJournal(const Result<void>& followed);
    void tellCut(std::uint64_t bytes);
    void notice(const std::string& sentence);

    const Options options_;
    coordination::Client& client_;
    std::optional<run::RunMirror> mirror_;  ///< Once the folder is taken.
    std::atomic<bool> hasFolder_{false};    ///< The same, for every thread.
    bool cutBack_ = false;  ///< To what the run's own journal had when this start began.
    std::string journalProblem_;
    Mutex mutex_;
    ConditionVariable woken_;
    std::jthread thread_;
};

}  // namespace lockstep::launch
