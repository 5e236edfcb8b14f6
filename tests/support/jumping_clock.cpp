// SPDX-License-Identifier: Apache-2.0
// Loaded before a program (LD_PRELOAD), it sets the program's wall clock back by an hour once the
// program has run for two seconds: as somebody does who corrects a host's time. The other clocks
// are left alone.
#include <dlfcn.h>
#include <time.h>

namespace {

using Function = int (*)(clockid_t, timespec*);

Function realOne() {
    static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "clock_gettime"));
    return real;
}

time_t secondsUp() {
    timespec now{};
    realOne()(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
    static const time_t start = secondsUp();
    constexpr time_t kUntilTheJump = 2;
    constexpr time_t kHour = 3600;
    const int result = realOne()(clock, time);
    if (result == 0 && clock == CLOCK_REALTIME && secondsUp() - start >= kUntilTheJump)
        time->tv_sec -= kHour;
    return result;
}
