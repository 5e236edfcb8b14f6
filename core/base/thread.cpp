// SPDX-License-Identifier: Apache-2.0
#include "core/base/thread.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include <csignal>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lockstep {

namespace {
constexpr int kBehindOthers = 10;
}

std::jthread startThread(std::string_view name, std::function<void(std::stop_token)> body) {
    return std::jthread(
        [name = std::string(name.substr(0, 15)), body = std::move(body)](std::stop_token stop) {
            pthread_setname_np(pthread_self(), name.c_str());
            body(std::move(stop));
        });
}

void ignoreSigpipe() {
    std::signal(SIGPIPE, SIG_IGN);
}

void flushDenormals() {
#if defined(__x86_64__)
    constexpr unsigned kFlushToZeroAndDenormalsAreZero = 0x8040;
    _mm_setcsr(_mm_getcsr() | kFlushToZeroAndDenormalsAreZero);
#elif defined(__aarch64__)
    std::uint64_t fpcr = 0;
    asm volatile("mrs %0, fpcr" : "=r"(fpcr));
    asm volatile("msr fpcr, %0" ::"r"(fpcr | (1ULL << 24)));
#endif
}

void yieldToOthers() {
    // On Linux 0 is the calling thread. A refusal leaves everything as it was.
    (void)setpriority(PRIO_PROCESS, 0, kBehindOthers);
}

int availableProcessors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    const int count = CPU_COUNT(&set);
    return count > 0 ? count : 1;
}

}  // namespace lockstep
