// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/job/fold/session.h"
#include "core/job/logs/log_book.h"

namespace lockstep::testsupport {

/// What a test lets a session say. The test keeps the script, the window owns the session.
struct Script {
    std::mutex mutex;
    std::shared_ptr<const job::RunView> view = std::make_shared<job::RunView>();
    std::vector<job::StepColumns> steps;
    std::vector<job::ScalarColumns> scalars;
    std::vector<job::HeartbeatMark> heartbeats;
    std::vector<job::LoadMark> loads;
    std::vector<job::LogEntry> logs;
    int stopRequests = 0;
    int kills = 0;
    int waits = 0;
    int drills = 0;

    void publish(job::RunView next) {
        const std::lock_guard lock(mutex);
        next.revision = view->revision + 1;
        view = std::make_shared<const job::RunView>(std::move(next));
    }
};

class ScriptedSession final : public job::Session {
public:
    explicit ScriptedSession(std::shared_ptr<Script> script) : script_(std::move(script)) {}

    std::shared_ptr<const job::RunView> view() const override {
        const std::lock_guard lock(script_->mutex);
        return script_->view;
    }
    std::vector<job::StepColumns> takeSteps() override { return take(script_->steps); }
    std::vector<job::ScalarColumns> takeScalars() override { return take(script_->scalars); }
    std::vector<job::HeartbeatMark> takeHeartbeats() override { return take(script_->heartbeats); }
    std::vector<job::LoadMark> takeLoads() override { return take(script_->loads); }
    std::vector<job::LogEntry> takeLogs() override { return {}; }
    std::shared_ptr<const job::LogBook> logBook() override {
        logBook_->add(take(script_->logs));
        return logBook_;
    }
    void requestStop() override { count(script_->stopRequests); }
    void kill() override { count(script_->kills); }
    void waitLonger() override { count(script_->waits); }
    void drill(const job::DrillOrder&) override { count(script_->drills); }

private:
    template <typename T>
    std::vector<T> take(std::vector<T>& items) {
        const std::lock_guard lock(script_->mutex);
        return std::exchange(items, {});
    }
    void count(int& calls) {
        const std::lock_guard lock(script_->mutex);
        ++calls;
    }

    std::shared_ptr<Script> script_;
    std::shared_ptr<job::LogBook> logBook_ = std::make_shared<job::LogBook>(script_->view->runDir);
};

/// A two-replica run on the digits as it looks after `steps` steps: curves that fall, heartbeats
/// once a second, evaluations at every 500 steps.
struct ExampleRun {
    static constexpr double kStartWallTime = 1'790'000'000;

    /// Process 1 was killed after `steps` steps; a checkpoint of step 2000 is there.
    static job::RunView failedView(std::int64_t steps);
    static std::vector<job::RunEntry> entries(const std::filesystem::path& folder);
    static job::RunView view(std::int64_t steps, job::RunState state = job::RunState::Training);
    static std::vector<job::StepColumns> steps(std::int64_t first, std::int64_t last,
                                               int replicas = 2);
    /// Values of as many named figures, at every tenth step.
    static std::vector<job::ScalarColumns> scalars(int names, std::int64_t last, int replicas = 2);
    static std::vector<job::HeartbeatMark> heartbeats(double fromWallTime, int seconds);
    static std::vector<job::LogEntry> logs();
};

}  // namespace lockstep::testsupport
