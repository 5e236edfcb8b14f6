// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/oom_kills.h"

#include <fstream>
#include <string>

namespace lockstep::launch {

std::uint64_t oomKills() {
    std::ifstream counters("/proc/vmstat");
    std::string name;
    for (std::uint64_t value = 0; counters >> name >> value;)
        if (name == "oom_kill") return value;
    return 0;
}

}  // namespace lockstep::launch
