// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/thread_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "core/base/process_state.h"
#include "core/coordination/state/sentences.h"

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kSearchInterval{5};  ///< For threads that have come since.

bool mayBeStill(char state) {
    return state == 'S' || state == 'D' || isStoppedState(state);
}

std::string_view holdOf(char state) {
    if (state == 't') return "held by a debugger";
    if (state == 'T') return "stopped";
    return state == 'D' ? "waiting for a disk or a device" : "waiting for what does not come";
}

}  // namespace

std::optional<ThreadNews> StillThread::judge(const ThreadSigns& signs, Nanos now) {
    const Nanos stood = still_.note(mayBeStill(signs.state), signs.switches, now);
    const Nanos rest = signs.state == 'S' ? thread_.rest : Nanos{};
    const bool isStill = rest != kSleepsForLong && stood >= thread_.patience + rest;
    const bool wasTold = told_ > Nanos{};
    if (wasTold && stood >= told_) {
        told_ = stood;
        return std::nullopt;
    }
    if (wasTold) {
        const Nanos lasted = std::exchange(told_, Nanos{});
        if (signs.state == '\0') return std::nullopt;  // it has ended
        return ThreadNews{std::string(thread_.name), thread_.loss, lasted, signs.state, true};
    }
    if (!isStill) return std::nullopt;
    told_ = stood;
    return ThreadNews{std::string(thread_.name), thread_.loss, stood, signs.state, false};
}

void ThreadWatch::search() {
    std::error_code error;
    const std::filesystem::path tasks = fmt::format("/proc/{}/task", process_);
    for (std::filesystem::directory_iterator task(tasks, error), end; !error && task != end;
         task.increment(error)) {
        std::string name;
        std::getline(std::ifstream(task->path() / "comm"), name);
        note(name, std::atoi(task->path().filename().c_str()));
    }
}

/// What such a thread starts has its name, too, and comes behind it.
void ThreadWatch::note(const std::string& name, pid_t id) {
    const auto known = std::ranges::find(threads_, name, &One::name);
    if (known != threads_.end()) {
        if (known->id == 0) known->id = id;
        return;
    }
    const auto kind = std::ranges::find_if(
        kWatchedThreads, [&](const WatchedThread& thread) { return thread.isCalled(name); });
    if (kind != kWatchedThreads.end()) threads_.push_back({StillThread(*kind), name, id});
}

std::vector<ThreadNews> ThreadWatch::look(Nanos now) {
    if (now >= nextSearch_) {
        nextSearch_ = now + kSearchInterval;
        search();
    }
    std::vector<ThreadNews> news;
    for (One& one : threads_) {
        if (one.id == 0) continue;
        const ThreadSigns signs{threadState(process_, one.id), contextSwitches(one.id)};
        if (auto told = one.still.judge(signs, now)) {
            told->name = one.name;
            news.push_back(std::move(*told));
        }
        if (signs.state == '\0') one.id = 0;
    }
    return news;
}

std::string threadSentence(const ThreadNews& news, std::string_view whose) {
    const std::string stood = coordination::secondsText(news.stood);
    if (news.isOver)
        return fmt::format("the thread {} of {} runs again: it had stood still for {}", news.name,
                           whose, stood);
    return fmt::format("the thread {} of {} has not run for {}, {}: {}", news.name, whose, stood,
                       holdOf(news.state), news.loss);
}

}  // namespace lockstep::launch
