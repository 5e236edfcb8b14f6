// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define LS_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define LS_THREAD_ANNOTATION(x)
#endif
#define LS_GUARDED_BY(x) LS_THREAD_ANNOTATION(guarded_by(x))
#define LS_REQUIRES(x) LS_THREAD_ANNOTATION(requires_capability(x))

namespace lockstep {

/// std::mutex that Clang's thread-safety analysis can follow.
class LS_THREAD_ANNOTATION(capability("mutex")) Mutex {
public:
    void lock() LS_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
    void unlock() LS_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }
    // NOLINTNEXTLINE(readability-identifier-naming): as std::scoped_lock calls it.
    bool try_lock() LS_THREAD_ANNOTATION(try_acquire_capability(true)) { return mutex_.try_lock(); }

private:
    std::mutex mutex_;
};

class LS_THREAD_ANNOTATION(scoped_lockable) Lock {
public:
    explicit Lock(Mutex& mutex) LS_THREAD_ANNOTATION(acquire_capability(mutex)) : mutex_(mutex) {
        mutex_.lock();
    }
    ~Lock() LS_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    Mutex& mutex_;
};

using ConditionVariable = std::condition_variable_any;

}  // namespace lockstep
