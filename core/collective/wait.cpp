// SPDX-License-Identifier: Apache-2.0
#include "core/collective/wait.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>

namespace lockstep::collective {

namespace {

// Without FUTEX_PRIVATE_FLAG: the word may lie in memory shared between processes.
long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) {
    return syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

}  // namespace

void Doorbell::ring() {
    if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
    rings_.fetch_add(1, std::memory_order_seq_cst);
    futex(rings_, FUTEX_WAKE, INT_MAX, nullptr);
}

void Doorbell::sleep(std::uint32_t seen, Nanos atMost) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(atMost);
    const timespec timeout{seconds.count(), (atMost - seconds).count()};
    // Every return (woken, changed, timeout, signal) means the same: the caller looks again.
    futex(rings_, FUTEX_WAIT, seen, &timeout);
}

WaitPolicy WaitPolicy::forWaiters(int waiters, int processors) {
    if (waiters <= processors)
        return {std::chrono::microseconds(50), std::chrono::microseconds(500)};
    return {Nanos(0), std::chrono::microseconds(20)};
}

}  // namespace lockstep::collective
