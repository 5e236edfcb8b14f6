// SPDX-License-Identifier: Apache-2.0
// Loaded before a program (LD_PRELOAD), it sets the program's wall clock 90 s ahead: as a host
// whose clock is wrong. The monotonic clock is left alone.
#include <dlfcn.h>
#include <time.h>

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
    using Function = int (*)(clockid_t, timespec*);
    static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "clock_gettime"));
    const int result = real(clock, time);
    constexpr time_t kSkewSeconds = 90;
    if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += kSkewSeconds;
    return result;
}
