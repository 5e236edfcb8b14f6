// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/result.h"

namespace lockstep::wire {

/// What waitReadable can wait for: a socket of this folder.
class Pollable {
public:
    Pollable() = default;
    virtual ~Pollable() = default;
    Pollable(const Pollable&) = delete;
    Pollable& operator=(const Pollable&) = delete;

protected:
    friend Result<bool> waitReadable(std::span<Pollable* const> sockets, const class Wakeup* wakeup,
                                     Nanos timeout);
    /// The native sockets to wait for; null where unused.
    [[nodiscard]] virtual std::array<void*, 2> pollHandles() const = 0;
};

/// Wakes the thread that owns the sockets, from any other thread (an eventfd).
class Wakeup {
public:
    [[nodiscard]] static Result<Wakeup> make();

    /// Any thread, never blocks; several before a `drain` count as one.
    void notify() const;
    /// Takes the notifications; true when there was one. By the waiting thread, before it looks
    /// at what it was woken for.
    bool drain() const;
    [[nodiscard]] int fd() const { return fd_.get(); }

private:
    explicit Wakeup(UniqueFd fd) : fd_(std::move(fd)) {}
    UniqueFd fd_;
};

/// Waits until a socket may have something to receive, `wakeup` (may be null) was notified, or
/// `timeout` has passed (0: just looks). True when there is something; false at the timeout or
/// after a signal. The caller then calls `receive` of each socket until it returns nothing.
[[nodiscard]] Result<bool> waitReadable(std::span<Pollable* const> sockets, const Wakeup* wakeup,
                                        Nanos timeout);

}  // namespace lockstep::wire
