// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include "core/base/clock.h"

namespace lockstep::collective {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free &&
                  std::atomic<std::uint64_t>::is_always_lock_free,
              "atomics in shared memory must not use locks");

/// What wakes waiters, in memory shared by threads or processes. Zero bytes are its initial state.
///
/// A writer stores its change sequentially consistent, then rings. A waiter announces itself before
/// it looks for the last time, so that either the waiter sees the change or the writer sees the
/// waiter. Ringing costs a system call only when somebody sleeps.
class Doorbell {
public:
    void ring();
    /// Sleeps until the next ring, at most `atMost`; not at all when `ready()`.
    template <typename Ready>
    void sleepUnless(Ready ready, Nanos atMost) {
        sleepers_.fetch_add(1, std::memory_order_seq_cst);
        const std::uint32_t seen = rings_.load(std::memory_order_seq_cst);
        if (!ready()) sleep(seen, atMost);
        sleepers_.fetch_sub(1, std::memory_order_seq_cst);
    }

private:
    void sleep(std::uint32_t seen, Nanos atMost);

    std::atomic<std::uint32_t> rings_;     // The futex word.
    std::atomic<std::uint32_t> sleepers_;  // A killed sleeper stays counted: only costs calls.
};

/// How long a wait stays on the processor before it sleeps.
struct WaitPolicy {
    Nanos spin{0};   ///< Looking again and again; others of the host have processors of their own.
    Nanos yield{0};  ///< Then offering the processor between looks.

    /// Spins only when each of `waiters` can have one of `processors`: a spinner that holds the
    /// processor of the one it waits for makes a step hundreds of times slower.
    [[nodiscard]] static WaitPolicy forWaiters(int waiters, int processors);
};

enum class WaitEnd : std::uint8_t { Ready, Interrupted, TimedOut };

/// Longest sleep between two looks at `interrupted`, for causes that ring no bell.
constexpr Nanos kLongestSleep = Millis(5);

/// Tells the processor that this is a spin loop.
inline void relaxProcessor() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// Waits for `ready()`: spins, yields, then sleeps on `bell`, until `deadline` (SteadyClock).
/// `interrupted()` is asked from the yielding on, and may make system calls.
template <typename Ready, typename Interrupted>
[[nodiscard]] WaitEnd waitUntil(Doorbell& bell, const WaitPolicy& policy, Nanos deadline,
                                Ready ready, Interrupted interrupted) {
    constexpr int kLooksPerClockRead = 16;
    const Nanos begin = SteadyClock::read();
    while (SteadyClock::read() - begin < policy.spin) {
        for (int look = 0; look < kLooksPerClockRead; ++look) {
            if (ready()) return WaitEnd::Ready;
            relaxProcessor();
        }
    }
    for (;;) {
        if (ready()) return WaitEnd::Ready;
        // What interrupts may come after the last good deed: look once more before giving up.
        if (interrupted()) return ready() ? WaitEnd::Ready : WaitEnd::Interrupted;
        const Nanos now = SteadyClock::read();
        if (now >= deadline) return WaitEnd::TimedOut;
        if (now - begin < policy.spin + policy.yield)
            std::this_thread::yield();
        else
            bell.sleepUnless(ready, std::min(kLongestSleep, deadline - now));
    }
}

}  // namespace lockstep::collective
