// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/oom_kills.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kInterval{5};

std::uint64_t countedKills() {
    std::ifstream counters("/proc/vmstat");
    std::string name;
    for (std::uint64_t value = 0; counters >> name >> value;)
        if (name == "oom_kill") return value;
    return 0;
}

}  // namespace

OomKills::OomKills() : before_(countedKills()), newest_(before_) {}

void OomKills::look(Nanos now) {
    if (now < next_) return;
    next_ = now + kInterval;
    // What has explained an end does not explain another one.
    before_ = std::max(before_, std::exchange(newest_, countedKills()));
}

bool OomKills::explainsOne() {
    if (countedKills() <= before_) return false;
    ++before_;
    return true;
}

}  // namespace lockstep::launch
