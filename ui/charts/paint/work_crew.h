// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "core/base/mutex.h"

namespace lockstep::ui {

/// Threads that help the one that has work in many equal pieces.
class WorkCrew {
public:
    /// None is fine: then the caller works alone.
    explicit WorkCrew(int helpers);
    ~WorkCrew();
    WorkCrew(const WorkCrew&) = delete;
    WorkCrew& operator=(const WorkCrew&) = delete;

    /// With the caller.
    [[nodiscard]] int threads() const { return int(helpers_.size()) + 1; }
    /// Calls `work(piece)` for every piece from 0 on, on this thread and on the helpers, and
    /// returns when all are done. For one caller at a time.
    void run(int pieces, const std::function<void(int piece)>& work);

private:
    struct Task {
        Task(int count, const std::function<void(int)>& body) : pieces(count), work(body) {}
        const int pieces;
        const std::function<void(int)>& work;
        std::atomic<int> next{0};
    };

    void help(const std::stop_token& stop);
    static void workOn(Task& task);

    Mutex mutex_;
    ConditionVariable changed_;
    Task* task_ LS_GUARDED_BY(mutex_) = nullptr;
    std::uint64_t generation_ LS_GUARDED_BY(mutex_) = 0;
    int busy_ LS_GUARDED_BY(mutex_) = 0;
    std::vector<std::jthread> helpers_;
};

}  // namespace lockstep::ui
