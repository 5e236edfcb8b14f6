// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/paint/work_crew.h"

#include <chrono>

#include "core/base/thread.h"

namespace lockstep::ui {

namespace {
constexpr auto kPatience = std::chrono::seconds(1);  // between looks at what is awaited
}

WorkCrew::WorkCrew(int helpers) {
    for (int i = 0; i < helpers; ++i)
        helpers_.push_back(
            startThread("chart-help", [this](const std::stop_token& stop) { help(stop); }));
}

WorkCrew::~WorkCrew() {
    for (std::jthread& helper : helpers_)
        helper.request_stop();
    helpers_.clear();  // joins; each is bounded by one piece of work
}

void WorkCrew::workOn(Task& task) {
    for (int piece = task.next++; piece < task.pieces; piece = task.next++)
        task.work(piece);
}

void WorkCrew::run(int pieces, const std::function<void(int)>& work) {
    Task task(pieces, work);
    const bool alone = helpers_.empty() || pieces < 2;
    if (!alone) {
        const Lock lock(mutex_);
        task_ = &task;
        ++generation_;
        changed_.notify_all();
    }
    workOn(task);
    if (alone) return;
    const Lock lock(mutex_);
    task_ = nullptr;  // who has not come yet comes too late
    while (busy_ > 0)
        changed_.wait_for(mutex_, kPatience);
}

void WorkCrew::help(const std::stop_token& stop) {
    yieldToOthers();  // watching must not slow down what is watched
    std::uint64_t done = 0;
    while (!stop.stop_requested()) {
        Task* task = nullptr;
        {
            const Lock lock(mutex_);
            changed_.wait_for(mutex_, stop, kPatience, [&]() LS_REQUIRES(mutex_) {
                return task_ != nullptr && generation_ != done;
            });
            if (task_ == nullptr || generation_ == done) continue;
            task = task_;
            done = generation_;
            ++busy_;
        }
        workOn(*task);
        const Lock lock(mutex_);
        --busy_;
        changed_.notify_all();
    }
}

}  // namespace lockstep::ui
