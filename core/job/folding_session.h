// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "core/job/fold/session.h"
#include "core/job/source/journal_source.h"

namespace lockstep::job {

/// The Session over any JournalSource. Its thread, "session", pulls pieces, folds them and
/// publishes a view up to 30 times a second. When nobody takes what has arrived it stops pulling
/// at about a million entries, until somebody does: a slow reader slows its own replay alone.
class FoldingSession final : public Session {
public:
    FoldingSession(std::filesystem::path runDir, std::unique_ptr<JournalSource> source);
    /// Ends the thread; waits for at most one wait of the source.
    ~FoldingSession() override;

    [[nodiscard]] std::shared_ptr<const RunView> view() const override;
    [[nodiscard]] std::vector<StepColumns> takeSteps() override;
    [[nodiscard]] std::vector<ScalarColumns> takeScalars() override;
    [[nodiscard]] std::vector<HeartbeatMark> takeHeartbeats() override;
    [[nodiscard]] std::vector<LoadMark> takeLoads() override;
    [[nodiscard]] std::vector<LogEntry> takeLogs() override;
    [[nodiscard]] std::shared_ptr<const LogBook> logBook() override;
    void requestStop() override;
    void kill() override;
    void waitLonger() override;
    void drill(const DrillOrder& order) override;

private:
    class Worker;
    std::unique_ptr<Worker> worker_;
};

}  // namespace lockstep::job
