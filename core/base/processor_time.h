// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

#include "core/base/clock.h"

namespace lockstep {

/// What the calling thread has used of a processor: others who use it do not count.
[[nodiscard]] inline Nanos threadProcessorTime() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + Nanos(now.tv_nsec);
}

}  // namespace lockstep
