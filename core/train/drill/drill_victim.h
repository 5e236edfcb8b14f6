// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/train/drill/step_faults.h"
#include "core/wire/messages/monitor.pb.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::train {

/// What a process of the job does when the coordinator tells it to inflict a fault on itself: it
/// says that it does it now, then does it; or says why it cannot. Faults of steps are left to the
/// step thread of its first replica, which says so itself.
class DrillVictim {
public:
    struct Options {
        std::filesystem::path checkpoints;  ///< Of the run, where this process sees them.
        bool mayRestart = false;            ///< The job begins again after the next failure,
        bool keepsSteps = false;            ///< and then from memory.
        bool seesRunFolder = true;
        std::uint16_t coordinatorPort = 0;
    };
    /// The way to the coordinator: a record, delivered or not within a while (false).
    using Send = std::function<bool(wire::Record record)>;
    /// The newest step that this process has completed.
    using Step = std::function<std::uint64_t()>;

    DrillVictim(Options options, Send send, Step step);
    ~DrillVictim();
    DrillVictim(const DrillVictim&) = delete;
    DrillVictim& operator=(const DrillVictim&) = delete;

    /// Any thread; returns at once. The same id again is no other drill.
    void take(const wire::DrillRequest& order);
    /// Nothing is taken any more; what is under way is waited for.
    void end();
    /// Of this process's first replica.
    [[nodiscard]] StepFaults& steps() { return steps_; }

private:
    void inflict(const wire::DrillRequest& order, const std::stop_token& stop);
    void stopForAWhile(const wire::DrillRequest& order);
    void tearAndEnd(const wire::DrillRequest& order);
    [[nodiscard]] Result<bool> tearSaidFirst(const wire::DrillRequest& order);
    void fillDisk(const wire::DrillRequest& order, const std::stop_token& stop);
    void leaveToSteps(const wire::DrillRequest& order);
    bool say(const wire::DrillRequest& order, wire::DrillPhase phase, const std::string& sentence,
             std::uint64_t step);
    void refuse(const wire::DrillRequest& order, const std::string& why);

    const Options options_;
    const Send send_;
    const Step step_;
    StepFaults steps_;
    Mutex mutex_;
    bool isEnded_ LS_GUARDED_BY(mutex_) = false;
    std::set<std::string> known_ LS_GUARDED_BY(mutex_);
    struct UnderWay {
        std::shared_ptr<std::atomic<bool>> isDone;
        std::jthread thread;
    };
    std::vector<UnderWay> underWay_ LS_GUARDED_BY(mutex_);
};

}  // namespace lockstep::train
