// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "core/base/clock.h"
#include "core/base/mutex.h"
#include "core/base/result.h"

namespace lockstep::launch {

/// How many connections to one sshd are in their login at once: from 10 on, sshd ends some at
/// random (MaxStartups 10:30:100). Connections by way of one jump host are all logins there.
/// Shared by the threads that open links.
class OpeningLimit : public std::enable_shared_from_this<OpeningLimit> {
public:
    explicit OpeningLimit(int atOnce = 8) : atOnce_(atOnce) {}

    /// A login in progress; given back by destruction.
    class Turn {
    public:
        Turn() = default;
        Turn(std::shared_ptr<OpeningLimit> limit, std::string server)
            : limit_(std::move(limit)), server_(std::move(server)) {}
        Turn(Turn&& other) noexcept = default;
        Turn& operator=(Turn&& other) noexcept;
        ~Turn() { giveBack(); }
        void giveBack();

    private:
        std::shared_ptr<OpeningLimit> limit_;
        std::string server_;
    };

    /// Waits for a turn at `server` (any name, equal for equal servers). Timeout, Cancelled.
    [[nodiscard]] Result<Turn> take(const std::string& server, Nanos timeout,
                                    const std::stop_token& cancel);

private:
    const int atOnce_;
    Mutex mutex_;
    ConditionVariable freed_;
    std::map<std::string, int> open_ LS_GUARDED_BY(mutex_);
};

}  // namespace lockstep::launch
