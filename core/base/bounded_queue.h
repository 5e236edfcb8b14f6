// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

#include "core/base/mutex.h"

namespace lockstep {

/// A queue between threads with a limit: who pushes decides whether to wait for room.
template <typename T>
class BoundedQueue {
public:
    explicit BoundedQueue(std::size_t limit) : limit_(limit) {}

    /// False when the queue is full or closed; `value` is then untouched.
    [[nodiscard]] bool push(T& value) {
        {
            Lock lock(mutex_);
            if (closed_ || items_.size() >= limit_) return false;
            items_.push_back(std::move(value));
        }
        changed_.notify_one();
        return true;
    }

    /// Waits up to `timeout` for room. False when there is none by then, or the queue is closed.
    [[nodiscard]] bool pushWithin(T& value, std::chrono::nanoseconds timeout) {
        {
            Lock lock(mutex_);
            if (!changed_.wait_for(mutex_, timeout, [this]() LS_REQUIRES(mutex_) {
                    return closed_ || items_.size() < limit_;
                }))
                return false;
            if (closed_) return false;
            items_.push_back(std::move(value));
        }
        changed_.notify_all();
        return true;
    }

    /// The oldest item, waiting up to `timeout` for one; nullopt when there is none by then.
    [[nodiscard]] std::optional<T> take(std::chrono::nanoseconds timeout) {
        std::optional<T> item;
        {
            Lock lock(mutex_);
            changed_.wait_for(mutex_, timeout,
                              [this]() LS_REQUIRES(mutex_) { return closed_ || !items_.empty(); });
            if (items_.empty()) return std::nullopt;
            item.emplace(std::move(items_.front()));
            items_.pop_front();
        }
        changed_.notify_all();
        return item;
    }

    /// Everything queued, at once.
    [[nodiscard]] std::deque<T> takeAll() {
        std::deque<T> items;
        {
            Lock lock(mutex_);
            items.swap(items_);
        }
        changed_.notify_all();
        return items;
    }

    /// Wakes all waiters; nothing can be pushed any more, what is queued can still be taken.
    void close() {
        {
            Lock lock(mutex_);
            closed_ = true;
        }
        changed_.notify_all();
    }

    [[nodiscard]] std::size_t size() const {
        Lock lock(mutex_);
        return items_.size();
    }

private:
    const std::size_t limit_;
    mutable Mutex mutex_;
    ConditionVariable changed_;
    std::deque<T> items_ LS_GUARDED_BY(mutex_);
    bool closed_ LS_GUARDED_BY(mutex_) = false;
};

}  // namespace lockstep
