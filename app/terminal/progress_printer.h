// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/terminal/untold_epochs.h"
#include "core/base/clock.h"
#include "core/job/fold/session.h"

namespace lockstep::app {

/// Shows how a run goes on standard error: one line that is rewritten on a terminal, a plain line
/// at every event and every few seconds otherwise. What its processes print goes to standard
/// output, above that line.
class ProgressPrinter {
public:
    ProgressPrinter();
    void show(const job::RunView& view);
    /// A line that a process has written; one that is unfinished stands behind the progress.
    void showOutput(const job::LogEntry& entry);
    void warn(const std::string& sentence) { print("warning: " + sentence); }
    /// Ends the rewritten line, so that what follows begins on a line of its own.
    void finish();
    /// A line of its own, in place of the one that is rewritten.
    void print(const std::string& line);

private:
    void showEvaluations(const job::RunView& view);
    void showCheckpointErrors(const job::RunView& view);
    void showBar(const job::RunView& view);
    void showLines(const job::RunView& view);
    void eraseBar();

    bool terminal_;
    bool barShown_ = false;
    Nanos nextLine_{0};
    job::RunState lastState_ = job::RunState::Launching;
    bool first_ = true;
    UntoldEpochs epochs_;
    /// As they were shown last; one that is scored after all takes another one's place.
    std::set<std::shared_ptr<const job::EvaluationView>> evaluationsShown_;
    std::size_t failuresShown_ = 0;
    std::optional<job::LogEntry> unfinished_;  ///< The newest one.
    std::size_t noticesShown_ = 0;
    double newestCheckpoint_ = 0;  ///< Wall time of the newest one looked at.
};

}  // namespace lockstep::app
