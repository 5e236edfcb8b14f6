// SPDX-License-Identifier: Apache-2.0
#include "core/launch/ssh/opening_limit.h"

#include <algorithm>
#include <utility>

namespace lockstep::launch {

namespace {

constexpr std::chrono::milliseconds kCancelLook{50};

}  // namespace

OpeningLimit::Turn& OpeningLimit::Turn::operator=(Turn&& other) noexcept {
    giveBack();
    limit_ = std::move(other.limit_);
    server_ = std::move(other.server_);
    return *this;
}

void OpeningLimit::Turn::giveBack() {
    if (!limit_) return;
    {
        const Lock lock(limit_->mutex_);
        if (--limit_->open_[server_] == 0) limit_->open_.erase(server_);
    }
    limit_->freed_.notify_all();
    limit_.reset();
}

Result<OpeningLimit::Turn> OpeningLimit::take(const std::string& server, Nanos timeout,
                                              const std::stop_token& cancel) {
    const Nanos deadline = SteadyClock::read() + timeout;
    mutex_.lock();
    while (open_[server] >= atOnce_) {
        const Nanos now = SteadyClock::read();
        const bool isCancelled = cancel.stop_requested();
        if (isCancelled || now >= deadline) {
            mutex_.unlock();
            return isCancelled
                       ? fail(ErrorCode::Cancelled, "logging in was cancelled")
                       : fail(ErrorCode::Timeout, "other logins to " + server + " took too long");
        }
        freed_.wait_for(mutex_, std::min<Nanos>(deadline - now, kCancelLook));
    }
    ++open_[server];
    mutex_.unlock();
    return Turn(shared_from_this(), server);
}

}  // namespace lockstep::launch
