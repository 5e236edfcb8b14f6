// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <utility>

#include "core/base/clock.h"
#include "core/base/mutex.h"
#include "core/launch/doctor/faults/examination.h"

namespace lockstep::launch {

/// The examination while it goes on: a thread for each host writes to it, one reads.
class ExaminationBoard {
public:
    explicit ExaminationBoard(Examination examination) : examination_(std::move(examination)) {}

    /// What a host's thread has found out.
    void update(const std::function<void(Examination&)>& change);
    /// Waits up to `timeout` for an update; the whole then, or nullopt.
    [[nodiscard]] std::optional<Examination> awaitChange(Nanos timeout);
    [[nodiscard]] Examination read() const;

    /// A target that a host has not tried yet: host and port by index, and what to connect to.
    struct Target {
        std::size_t to = 0;
        std::size_t port = 0;
        wire::ConnectionTarget where;
    };
    /// What host `from` shall try now; each target is handed out once.
    [[nodiscard]] std::vector<Target> takeTargets(std::size_t from);
    /// Whether no target can come any more.
    [[nodiscard]] bool allSettled() const;
    /// Whether nobody tries anything any more.
    [[nodiscard]] bool allDone() const;

private:
    mutable Mutex mutex_;
    ConditionVariable changed_;
    Examination examination_ LS_GUARDED_BY(mutex_);
    bool isNew_ LS_GUARDED_BY(mutex_) = false;
    std::set<std::pair<std::size_t, std::pair<std::size_t, std::size_t>>> taken_
        LS_GUARDED_BY(mutex_);
};

}  // namespace lockstep::launch
