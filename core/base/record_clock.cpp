// SPDX-License-Identifier: Apache-2.0
#include "core/base/record_clock.h"

#include <ctime>

#include "core/base/clock.h"

namespace lockstep {

namespace {

/// Like CLOCK_MONOTONIC, and goes on while the machine sleeps.
double bootSeconds() {
    timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

double recordSeconds() {
    static const double start = wallSeconds() - bootSeconds();
    return start + bootSeconds();
}

}  // namespace lockstep
